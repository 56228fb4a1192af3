import { type NearMisses, noNearMisses } from "../facets/near-misses.ts";
import { type Deletions, deletedDocuments } from "../segment/deletions.ts";
import { noPostings, type Postings, postingCount } from "../segment/postings.ts";
import { openSegment, type Segment } from "../segment/segment.ts";
import type { SnapshotSegment } from "../segment/snapshot.ts";
import { indexOfString, prefixRange } from "../segment/string-table.ts";
import { createMatches, type Matches } from "./matches.ts";
import { createUnionScratch, type UnionScratch, uniteLists } from "./unite-lists.ts";
import { WordNeighbours } from "./word-neighbours.ts";

/** A way in which a document can have a word of the query: a term, or any word with a prefix. `weight` is at most 1. */
export type Alternative =
  | { readonly term: string; readonly weight: number }
  | { readonly prefix: string; readonly weight: number };

/** Stands for the source of documents that were deleted. */
const NO_SOURCE = 255;

/** What this thread keeps for a segment while snapshots come and go: scratch space and caches. */
export interface SegmentState {
  readonly segment: Segment;
  readonly matches: Matches;
  /** Of the same search as `matches`. */
  nearMisses: NearMisses;
  readonly union: UnionScratch;
  readonly neighbours: WordNeighbours;
  /** The impacts of each frequent term on every document. */
  readonly dense: ReadonlyMap<number, Uint8Array>;
}

/** One segment of one snapshot, as this thread reads it. */
export class SegmentReader {
  readonly state: SegmentState;
  readonly segment: Segment;
  readonly deletions: Deletions | undefined;
  readonly liveDocuments: number;
  #deleted: Uint32Array | undefined;
  #liveSources: Uint8Array | undefined;

  constructor(part: SnapshotSegment, former: SegmentReader | undefined) {
    this.state = former?.state ?? openState(part);
    this.segment = this.state.segment;
    this.deletions = part.deletions;
    this.liveDocuments = this.segment.documents - part.deletedCount;
  }

  /** Ascending. */
  get deletedDocuments(): Uint32Array {
    this.#deleted ??= deletedDocuments(this.deletions);
    return this.#deleted;
  }

  /** The source of each document; of deleted ones a number that is no source's. */
  get liveSources(): Uint8Array {
    this.#liveSources ??= this.#withoutDeleted(this.segment.sections.sources);
    return this.#liveSources;
  }

  #withoutDeleted(sources: Uint8Array): Uint8Array {
    if (this.deletions === undefined) return sources;
    const live = sources.slice();
    for (const doc of this.deletedDocuments) live[doc] = NO_SOURCE;
    return live;
  }

  postingsOf(alternatives: readonly Alternative[]): Postings {
    const [only, second] = alternatives;
    if (only === undefined) return noPostings;
    if (second === undefined && "term" in only && only.weight === 1) {
      return this.#postingsOfTerm(indexOfString(this.segment.terms, only.term));
    }
    return this.#union(alternatives.flatMap((alternative) => this.#weighted(alternative)));
  }

  documentsWithTerm(term: string): number {
    return postingCount(this.#postingsOfTerm(indexOfString(this.segment.terms, term)));
  }

  hasPrefix(prefix: string): boolean {
    const [from, to] = prefixRange(this.segment.words, prefix);
    return to > from;
  }

  /** The term ids that the alternatives stand for in this segment. */
  termsOf(alternatives: readonly Alternative[]): Set<number> {
    return new Set(
      alternatives.flatMap((alternative) => this.#weighted(alternative)).map(({ term }) => term),
    );
  }

  #weighted(alternative: Alternative): Array<{ term: number; weight: number }> {
    if ("term" in alternative) {
      const term = indexOfString(this.segment.terms, alternative.term);
      return term < 0 ? [] : [{ term, weight: alternative.weight }];
    }
    const [from, to] = prefixRange(this.segment.words, alternative.prefix);
    const terms = new Set(this.segment.sections.wordTerms.subarray(from, to));
    return Array.from(terms, (term) => ({ term, weight: alternative.weight }));
  }

  #postingsOfTerm(term: number): Postings {
    if (term < 0) return noPostings;
    const { postingDocs, postingImpacts, postingOffsets, blockImpacts } = this.segment.sections;
    return {
      docs: postingDocs,
      impacts: postingImpacts,
      start: postingOffsets[term] ?? 0,
      end: postingOffsets[term + 1] ?? 0,
      blocks: blockImpacts,
      dense: this.state.dense.get(term),
    };
  }

  /** Each document once, with its best weighted impact. */
  #union(terms: ReadonlyArray<{ term: number; weight: number }>): Postings {
    const lists = terms.map(({ term, weight }) => ({ list: this.#postingsOfTerm(term), weight }));
    const [only, second] = lists.filter(({ list }) => postingCount(list) > 0);
    if (second === undefined && (only === undefined || only.weight === 1)) return only?.list ?? noPostings;
    return uniteLists(lists, this.state.union);
  }
}

function openState(part: SnapshotSegment): SegmentState {
  const segment = openSegment(part);
  const { documents, sections } = segment;
  const dense = Array.from(sections.denseTerms, (term, i): [number, Uint8Array] => [
    term,
    sections.denseImpacts.subarray(i * documents, (i + 1) * documents),
  ]);
  return {
    segment,
    matches: createMatches(documents),
    nearMisses: noNearMisses,
    union: createUnionScratch(documents),
    neighbours: new WordNeighbours(segment),
    dense: new Map(dense),
  };
}
