import { noNearMisses } from "../facets/near-misses.ts";
import { noPostings, type Postings, postingCount } from "../segment/postings.ts";
import { checkTime } from "../time-limit.ts";
import {
  type ApartFilters,
  applyFilter,
  candidates,
  createFilter,
  passesVisible,
  type SegmentFilter,
  type WaysOfText,
} from "./filter.ts";
import {
  addScores,
  clear,
  intersect,
  loadAll,
  loadDocuments,
  loadPostings,
  type Matches,
  settle,
  unite,
} from "./matches.ts";
import type { WeighedReading, WeighedWord } from "./rank-hits.ts";
import type { SearchFilters } from "./search-query.ts";
import type { HiddenDocuments, SegmentReader } from "./segment-reader.ts";

/** More points than words can give. */
const keyWeight = 1_000_000_000;

/** The ways to fill each reader's scratch space with documents that pass the filters. Each returns their number. */
export class Matching {
  readonly readers: readonly SegmentReader[];
  readonly #filters: readonly SegmentFilter[];
  readonly #waysOf: WaysOfText;
  /** Whether the result is changed: then nothing may be counted from lists that were not copied. */
  readonly #isChanged: boolean;

  /** `apart` are the facets whose near misses are wanted: documents that fail only their filter. */
  constructor(
    readers: readonly SegmentReader[],
    filters: SearchFilters,
    apart: ApartFilters,
    waysOf: WaysOfText,
    isChanged = false,
  ) {
    this.readers = readers;
    this.#waysOf = waysOf;
    this.#isChanged = isChanged;
    this.#filters = readers.map((reader) => createFilter(reader, filters, apart, waysOf));
  }

  /** Finds what the reading means. The result is in the readers' scratch space; returns its size. */
  run({ finds, words, key }: WeighedReading): number {
    const total = this.#find(finds, words, key);
    for (const filter of this.#filters) rankKinds(filter);
    return total;
  }

  #find(finds: WeighedReading["finds"], words: readonly WeighedWord[], key: string | undefined): number {
    if (finds === "everything") return this.#everything();
    if (finds === "nothing") return this.#nothing();
    const total = this.#withAll(words, key);
    if (key === undefined) this.#addOptional(words);
    return total;
  }

  #nothing(): number {
    for (const { state } of this.readers) {
      clear(state.matches);
      state.nearMisses = noNearMisses;
      state.unfiltered = undefined;
    }
    return 0;
  }

  #everything(): number {
    return this.#filters.reduce((total, filter) => {
      const { segment, state } = filter.reader;
      const few = candidates(filter);
      if (few === undefined) loadAll(state.matches, segment.documents);
      else loadDocuments(state.matches, few.docs);
      applyFilter(state.matches, few?.filter ?? filter);
      return total + state.matches.count;
    }, 0);
  }

  /** The documents with all the words, preceded by those with `key`. */
  #withAll(words: readonly WeighedWord[], key: string | undefined): number {
    return this.inEach((reader, i) => {
      const { matches } = reader.state;
      const [rarest, ...others] = requiredLists(words, i);
      if (rarest === undefined) clear(matches);
      else loadPostings(matches, rarest.list, rarest.weight);
      for (const { list, weight } of others) intersect(matches, list, weight);
      const meant = key === undefined ? undefined : reader.documentsWithKey(key);
      if (meant !== undefined && meant.length > 0) unite(matches, keyedPostings(meant), keyWeight);
    });
  }

  /** Words that are not required rank what has them. */
  #addOptional(words: readonly WeighedWord[]): void {
    for (const word of words) {
      if (word.isRequired || word.documents === 0) continue;
      this.readers.forEach(({ state }, i) => {
        addScores(state.matches, word.lists[i] ?? noPostings, word.weight);
      });
    }
  }

  /** Calls `match` to fill each reader's scratch space, applies the filters, and returns the total number left. */
  inEach(match: (reader: SegmentReader, place: number) => void): number {
    return this.readers.reduce((total, reader, i) => {
      match(reader, i);
      this.filter(i);
      return total + reader.state.matches.count;
    }, 0);
  }

  /** Applies the filters to the scratch space of the reader at `place`. */
  filter(place: number): void {
    const [reader, filter] = [this.readers[place], this.#filters[place]];
    if (reader === undefined || filter === undefined) return;
    if (this.#isChanged) settle(reader.state.matches);
    applyFilter(reader.state.matches, filter);
  }

  /** The hidden documents of the reader at `place`, if the filters let all others pass. */
  hiddenOnly(place: number): HiddenDocuments | undefined {
    const filter = this.#filters[place];
    return filter !== undefined && passesVisible(filter) ? filter.hidden : undefined;
  }

  /** Applies the filters to other documents of the reader at `place`. Its near misses are those of these documents then. */
  filterOther(place: number, matches: Matches): void {
    const filter = this.#filters[place];
    if (filter !== undefined) applyFilter(matches, filter);
  }

  /** Applies other filters to documents of the reader at `place`, and leaves its near misses. */
  narrow(place: number, matches: Matches, filters: SearchFilters): void {
    const reader = this.readers[place];
    if (reader === undefined) return;
    const { nearMisses, unfiltered } = reader.state;
    applyFilter(matches, createFilter(reader, filters, { keys: [], areListed: false }, this.#waysOf));
    Object.assign(reader.state, { nearMisses, unfiltered });
  }
}

function keyedPostings(docs: Uint32Array): Postings {
  const impacts = new Uint8Array(docs.length).fill(1);
  return { docs, impacts, start: 0, end: docs.length, dense: undefined };
}

/** The postings of the required words in one segment, rarest first. */
export function requiredLists(words: readonly WeighedWord[], segment: number) {
  const lists = words
    .filter(({ isRequired }) => isRequired)
    .map(({ lists, weight }) => ({ list: lists[segment] ?? noPostings, weight }));
  return lists.sort((a, b) => postingCount(a.list) - postingCount(b.list));
}

/** More than the points of words and of a name. */
export const kindPoints = 2 ** 22;

/** Documents of a nearer kind come first. */
function rankKinds({ kinds, reader: { state, segment } }: SegmentFilter): void {
  const [, second] = kinds;
  if (second === undefined) return;
  const { matches } = state;
  settle(matches);
  const nearness = new Uint8Array(segment.documents);
  for (let kind = kinds.length - 1; kind >= 0; kind--) {
    checkTime();
    for (const doc of kinds[kind] ?? []) nearness[doc] = kinds.length - kind;
  }
  const { docs, scores, count } = matches;
  for (let i = 0; i < count; i++) scores[i] = (scores[i] ?? 0) + (nearness[docs[i] ?? 0] ?? 0) * kindPoints;
}
