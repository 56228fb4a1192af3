import { BoundedCache, StringCache } from "../bounded-cache.ts";
import { type AllCounts, type UnfilteredCounts, valueClassCount } from "../facets/facet-rows.ts";
import { type NearMisses, noNearMisses } from "../facets/near-misses.ts";
import type { Adjacency, Alternative } from "../query/query-plan.ts";
import {
  bitsOfPostings,
  countDeleted,
  countPostings,
  documentsWith,
  documentsWithKey,
  hasBit,
  hashOf,
  noPostings,
  type Postings,
  PostingsCursor,
  postingCount,
  TermPostings,
  takeMarked,
  type UnpackedLists,
} from "../segment/postings.ts";
import {
  type Deletions,
  deletedDocuments,
  IdTable,
  isDeleted,
  openSegment,
  type Segment,
  type SnapshotSegment,
} from "../segment/segment.ts";
import {
  indexesEndingWith,
  indexOfString,
  prefixRange,
  stringAt,
  stringCount,
} from "../segment/string-table.ts";
import type { TagCounts, TaggedDocuments } from "../segment/tags.ts";
import { endOfWord, numbersOfWord, wordAt } from "../segment/term-roles.ts";
import { checkTime } from "../time-limit.ts";
import { createMatches, type Matches } from "./matches.ts";
import { TopHits } from "./top-hits.ts";
import { WordNeighbours } from "./word-neighbours.ts";

const cachedTerms = 2 ** 14;
const cachedPairs = 2 ** 14;
const cachedEndings = 500;
// Four bytes each.
const unpackedDocs = 2_000_000;
// Five bytes each.
const unitedDocs = 200_000;
// An eighth of a byte per document each.
const cachedBits = 128;
// At a million documents, those of 32 to 64 filters.
const cachedTagBytes = 8 * 2 ** 20;
const termBits = 26;

/** This thread's data for a segment across snapshots: scratch space and caches. */
export interface SegmentState {
  readonly segment: Segment;
  readonly matches: Matches;
  readonly top: TopHits;
  /** Of the same search as `matches`. */
  nearMisses: NearMisses;
  /** Of the same search, instead of near misses. */
  unfiltered: UnfilteredCounts | undefined;
  readonly union: UnionScratch;
  readonly neighbours: WordNeighbours;
  /** The ids of requested terms; −1 for those that the segment does not have. */
  readonly termIds: StringCache<number>;
  /** The ids of requested words, in all languages. */
  readonly wordIds: StringCache<readonly number[]>;
  /** The terms that end with a requested term. */
  readonly endings: BoundedCache<string, readonly string[]>;
  readonly wordEndings: BoundedCache<string, readonly string[]>;
  /** How often two terms are adjacent in names. */
  readonly sideBySide: StringCache<Adjacency>;
  readonly lists: BoundedCache<number, TermPostings>;
  readonly unpacked: UnpackedLists;
  /** The last lists that were united: a text is read before it is searched for. */
  readonly united: BoundedCache<readonly Alternative[], Postings>;
  /** Whether two terms are in a document, live or deleted. */
  readonly together: BoundedCache<number, boolean>;
  /** For terms of which this was asked, one bit per document. */
  readonly bits: BoundedCache<number, Uint8Array>;
  /** By the ids of filters. */
  readonly tagged: BoundedCache<string, TaggedDocuments>;
  /** The impacts of each frequent term on every document. */
  readonly dense: ReadonlyMap<number, Uint8Array>;
  /** Built when a document is first looked up by its id. */
  idTable: IdTable | undefined;
}

const mostNamed = 64;

/** One segment of one snapshot, opened on this thread. */
export class SegmentReader {
  readonly state: SegmentState;
  readonly segment: Segment;
  readonly deletions: Deletions | undefined;
  readonly liveDocuments: number;
  #deleted: Uint32Array | undefined;
  readonly #hidden = new Map<number | undefined, HiddenDocuments>();

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

  /** The documents that a search of the source, or of all sources, does not see. */
  hidden(source: number | undefined): HiddenDocuments {
    const hidden = this.#hidden.get(source) ?? hideDocuments(this.segment, this.deletions, source);
    this.#hidden.set(source, hidden);
    return hidden;
  }

  postingsOf(alternatives: readonly Alternative[]): Postings {
    checkTime();
    const [only, second] = alternatives;
    if (only === undefined) return noPostings;
    if (second === undefined && "term" in only && only.weight === 1)
      return this.postingsOfTerm(this.idOf(only.term));
    const lists = alternatives.flatMap((alternative) => this.#weightedLists(alternative));
    const [first, another] = lists;
    if (first === undefined) return noPostings;
    if (another === undefined && first.weight === 1) return first.list;
    return this.state.united.get(alternatives, () => ({
      ...uniteLists(lists, this.state.union),
      united: this.#nameOf(lists),
    }));
  }

  /** Undefined if it would be long: a prefix has many lists. */
  #nameOf(lists: ReadonlyArray<{ readonly list: Postings }>): string | undefined {
    if (lists.length > mostNamed) return undefined;
    const terms = lists.map(({ list }) => (list instanceof TermPostings ? list.term : undefined));
    return terms.includes(undefined) ? undefined : terms.join(" ");
  }

  documentsWithTerm(term: string): number {
    const id = this.idOf(term);
    return id < 0 ? 0 : documentsWith(this.segment.sections, id);
  }

  /** The live documents with the key, ascending. */
  documentsWithKey(key: string): Uint32Array {
    return documentsWithKey(this.segment.sections, this.deletions, hashOf(key));
  }

  /** The live document with this id. */
  documentOf(id: number): number | undefined {
    this.state.idTable ??= new IdTable(this.segment);
    return this.state.idTable.find(id, this.deletions);
  }

  /** The numbers of the words that begin with the prefix, the last one exclusive. */
  wordsBeginningWith(prefix: string): readonly [from: number, to: number] {
    return prefixRange(this.segment.words, prefix);
  }

  /** The longer terms that end with this one. */
  termsEndingWith(term: string): readonly string[] {
    const { terms } = this.segment;
    return this.state.endings.get(term, () =>
      indexesEndingWith(terms, term).map((index) => stringAt(terms, index)),
    );
  }

  /** The longer words that end with this text. */
  wordsEndingWith(ending: string): readonly string[] {
    const { words } = this.segment;
    return this.state.wordEndings.get(ending, () =>
      indexesEndingWith(words, ending, (index) => endOfWord(words, index)).map((index) =>
        wordAt(words, index),
      ),
    );
  }

  /** The longer terms that begin with this one. */
  termsBeginningWith(term: string): readonly string[] {
    const { terms } = this.segment;
    const [from, to] = prefixRange(terms, term);
    const found = Array.from({ length: to - from }, (_, i) => stringAt(terms, from + i));
    return found.filter((other) => other !== term);
  }

  /** The ids of the alternatives' terms in this segment. */
  termsOf(alternatives: readonly Alternative[]): Set<number> {
    const terms = new Set<number>();
    for (const alternative of alternatives) for (const id of this.#termIds(alternative)) terms.add(id);
    return terms;
  }

  #termIds(alternative: Alternative): number[] {
    if ("prefix" in alternative) {
      const [from, to] = this.wordsBeginningWith(alternative.prefix);
      return [...new Set(this.segment.sections.wordTerms.subarray(from, to))];
    }
    if ("term" in alternative) {
      const id = this.idOf(alternative.term);
      return id < 0 ? [] : [id];
    }
    return alternative.terms.map((term) => this.idOf(term)).filter((id) => id >= 0);
  }

  /** The id of a term in this segment, or −1. */
  idOf(term: string): number {
    return this.state.termIds.get(term, () => indexOfString(this.segment.terms, term));
  }

  /** The ids of a word in this segment, one for each language of documents that have it. */
  idsOfWord(word: string): readonly number[] {
    return this.state.wordIds.get(word, () => numbersOfWord(this.segment.words, word));
  }

  #weightedLists(alternative: Alternative): Array<{ list: Postings; weight: number }> {
    const { weight } = alternative;
    const lists =
      "terms" in alternative
        ? [intersectLists(alternative.terms.map((term) => this.postingsOfTerm(this.idOf(term))))]
        : this.#termIds(alternative).map((id) => this.postingsOfTerm(id));
    return lists.filter((list) => postingCount(list) > 0).map((list) => ({ list, weight }));
  }

  /** Whether any document has both terms. A segment never changes, so neither does the result. */
  areTogether(one: number, other: number): boolean {
    const [first, second] = one < other ? [one, other] : [other, one];
    return this.state.together.get(first * 2 ** termBits + second, () => {
      const [a, b] = [this.postingsOfTerm(first), this.postingsOfTerm(second)];
      return postingCount(a) < postingCount(b)
        ? hasBit(a, this.#bitsOf(second, b))
        : hasBit(b, this.#bitsOf(first, a));
    });
  }

  #bitsOf(term: number, postings: Postings): Uint8Array {
    return this.state.bits.get(term, () => bitsOfPostings(postings, this.segment.documents));
  }

  postingsOfTerm(term: number): Postings {
    if (term < 0) return noPostings;
    const { dense, unpacked, lists } = this.state;
    return lists.get(term, () => new TermPostings(this.segment.sections, term, dense.get(term), unpacked));
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
    top: new TopHits(),
    nearMisses: noNearMisses,
    unfiltered: undefined,
    union: createUnionScratch(documents),
    neighbours: new WordNeighbours(segment),
    termIds: new StringCache(cachedTerms),
    wordIds: new StringCache(cachedTerms),
    endings: new BoundedCache(cachedEndings),
    wordEndings: new BoundedCache(cachedEndings),
    sideBySide: new StringCache(cachedPairs),
    lists: new BoundedCache(cachedTerms),
    unpacked: new BoundedCache(unpackedDocs, ({ length }) => length),
    united: new BoundedCache(unitedDocs, postingCount),
    together: new BoundedCache(cachedPairs),
    bits: new BoundedCache(cachedBits),
    tagged: new BoundedCache(cachedTagBytes, ({ bits }) => bits.length),
    dense: new Map(dense),
    idTable: undefined,
  };
}

/** One list of the documents that all lists have, each with its lowest impact: a group counts as its weakest word. */
export function intersectLists(lists: readonly Postings[]): Postings {
  const [shortest, ...others] = lists.toSorted((a, b) => postingCount(a) - postingCount(b));
  if (shortest === undefined || postingCount(shortest) === 0) return noPostings;
  const docs = shortest.docs.slice(shortest.start, shortest.end);
  const impacts = shortest.impacts.slice(shortest.start, shortest.end);
  let count = docs.length;
  for (const other of others) {
    checkTime();
    count = keepListed(docs, impacts, count, other);
  }
  return { docs, impacts, start: 0, end: count, dense: undefined };
}

function keepListed(docs: Uint32Array, impacts: Uint8Array, count: number, list: Postings): number {
  const cursor = new PostingsCursor(list);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    const impact = cursor.impactOn(doc);
    if (impact === 0) continue;
    docs[kept] = doc;
    impacts[kept] = Math.min(impacts[i] ?? 0, impact);
    kept++;
  }
  return kept;
}

/** Space to unite lists in. Zero for every document, except inside the only function that uses it. */
interface UnionScratch {
  readonly impacts: Uint8Array;
  /** One bit per document. */
  readonly marks: Uint32Array;
}

function createUnionScratch(documents: number): UnionScratch {
  return { impacts: new Uint8Array(documents), marks: new Uint32Array((documents + 31) >>> 5) };
}

/**
 * One list of the documents of several lists, each with its best weighted impact. Documents are marked by bits and
 * read back in order. This takes linear time; the marks of a million documents are scanned in microseconds.
 */
function uniteLists(
  lists: ReadonlyArray<{ readonly list: Postings; readonly weight: number }>,
  { impacts: best, marks }: UnionScratch,
): Postings {
  // A prefix may match thousands of terms, all with the same weight.
  const tables = new Map<number, Uint8Array>();
  const leave = () => {
    best.fill(0);
    marks.fill(0);
  };
  let count = 0;
  for (const { list, weight } of lists) {
    checkTime(leave);
    const weighted = tables.get(weight) ?? weightedImpacts(weight);
    tables.set(weight, weighted);
    const { docs: listed, impacts: listedImpacts, start, end } = list;
    for (let at = start; at < end; at++) {
      const doc = listed[at] ?? 0;
      const former = best[doc] ?? 0;
      const impact = weighted[listedImpacts[at] ?? 0] ?? 0;
      if (impact <= former) continue;
      best[doc] = impact;
      if (former > 0) continue;
      count++;
      marks[doc >>> 5] = (marks[doc >>> 5] ?? 0) | (1 << (doc & 31));
    }
  }
  const docs = new Uint32Array(count);
  const impacts = new Uint8Array(count);
  takeMarked(marks, docs, count);
  let mostImpact = 0;
  for (let at = 0; at < count; at++) {
    const doc = docs[at] ?? 0;
    const impact = best[doc] ?? 0;
    impacts[at] = impact;
    mostImpact = Math.max(mostImpact, impact);
    best[doc] = 0;
  }
  return { docs, impacts, start: 0, end: count, dense: undefined, mostImpact };
}

/** The weighted value of each impact, at least 1. */
function weightedImpacts(weight: number): Uint8Array {
  const table = new Uint8Array(256);
  for (let impact = 0; impact < table.length; impact++)
    table[impact] = Math.max(1, Math.round(impact * weight));
  return table;
}

const keptFilters = 64;
const countedLists = 2 ** 11;
/** What is counted over the lists of frequent terms, and over those of filters: of each, this much is kept, but a few at least. */
const keptBytes = 2 ** 21;
const leastKept = 16;
const mostKept = 512;

function keptOf(numbers: number): number {
  return Math.max(leastKept, Math.min(mostKept, Math.floor(keptBytes / (4 * numbers + 1))));
}

// If a list has this many times more documents than are hidden, searching the hidden ones in the list is faster than
// checking each of its documents.
const fewHidden = 8;

/** The documents of a segment that a search does not see: deleted ones and, for a search of one source, those of others. */
export class HiddenDocuments {
  /** Undefined if there are none. */
  readonly marks: Deletions | undefined;
  readonly #count: number;
  #docs: Uint32Array | undefined;
  readonly #inLists = new BoundedCache<number, number>(countedLists);
  /** What was counted over the lists of frequent terms without the hidden documents, and over what filters alone find. */
  readonly termCounts: BoundedCache<number | string, AllCounts | "too wide">;
  /** What was counted over the documents of one filter. */
  readonly filterCounts = new BoundedCache<string, Uint32Array>(keptFilters);
  /** The same for attributes and categories, of which there may be many: by filter or by frequent term. */
  readonly tagCounts: BoundedCache<string, TagCounts>;

  constructor(segment: Segment, marks: Deletions | undefined, count: number) {
    const { brands, categories, stores, tags } = segment;
    const names = [brands, categories, stores].reduce(
      (sum, table) => sum + stringCount(table),
      valueClassCount,
    );
    this.termCounts = new BoundedCache(keptOf(names));
    this.tagCounts = new BoundedCache(keptOf(stringCount(tags)));
    this.marks = count === 0 ? undefined : marks;
    this.#count = count;
  }

  has(doc: number): boolean {
    return this.marks !== undefined && isDeleted(this.marks, doc);
  }

  /** How many of them are in a list. In that of a term they are counted once: many queries read no more than a few of its blocks. */
  countIn(postings: Postings): number {
    const { marks } = this;
    if (marks === undefined) return 0;
    if (!(postings instanceof TermPostings)) return this.#search(postings, marks);
    return this.#inLists.get(postings.term, () => this.#search(postings, marks));
  }

  #search(postings: Postings, marks: Deletions): number {
    if (this.#count * fewHidden >= postingCount(postings)) return countDeleted(postings, marks);
    this.#docs ??= deletedDocuments(marks);
    return countPostings(postings, this.#docs);
  }
}

/** The deleted documents and those of other sources. */
function hideDocuments(
  segment: Segment,
  deletions: Deletions | undefined,
  source: number | undefined,
): HiddenDocuments {
  const others = source === undefined ? undefined : otherSources(segment, source);
  if (deletions === undefined) return hidden(segment, others);
  if (others === undefined) return hidden(segment, deletions);
  const marks = others.slice();
  for (let i = 0; i < marks.length; i++) marks[i] = (marks[i] ?? 0) | (deletions[i] ?? 0);
  return hidden(segment, marks);
}

function hidden(segment: Segment, marks: Deletions | undefined): HiddenDocuments {
  let count = 0;
  if (marks !== undefined) for (let i = 0; i < marks.length; i++) count += bitsOf[marks[i] ?? 0] ?? 0;
  return new HiddenDocuments(segment, marks, count);
}

const bitsOf = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

const othersOf = new WeakMap<Segment, Map<number, Deletions>>();

/** One bit per document, set if it is of another source. A segment never changes, so this is computed once. */
function otherSources(segment: Segment, source: number): Deletions {
  const known = othersOf.get(segment) ?? new Map<number, Deletions>();
  othersOf.set(segment, known);
  const marks = known.get(source) ?? markOthers(segment, source);
  known.set(source, marks);
  return marks;
}

function markOthers({ documents, sections: { sources } }: Segment, source: number): Deletions {
  const marks = new Uint8Array((documents + 7) >>> 3);
  for (let doc = 0; doc < documents; doc++)
    if (sources[doc] !== source) marks[doc >>> 3] = (marks[doc >>> 3] ?? 0) | (1 << (doc & 7));
  return marks;
}
