import { noNearMisses } from "../facets/near-misses.ts";
import type { Relaxation, Unit } from "../query/query-plan.ts";
import { noPostings, type Postings, postingCount } from "../segment/postings.ts";
import {
  type ApartFilters,
  applyFilter,
  candidates,
  createFilter,
  type SegmentFilter,
  type WaysOfText,
} from "./filter.ts";
import type { MatchStep } from "./match-query.ts";
import { addScores, intersect, unite, uniteAll } from "./matches/join-postings.ts";
import { keepReaching, keepWithShare } from "./matches/keep-matches.ts";
import { clear, loadAll, loadDocuments, loadPostings, type Matches, settle } from "./matches/matches.ts";
import type { SearchFilters } from "./search-query.ts";
import { intersectLists, type SegmentReader } from "./segment-reader.ts";
import type { WeighedWord } from "./weigh-words.ts";

/** More points than words can give. */
const keyWeight = 1_000_000_000;

/** With so many lists to look up, first dropping the documents that cannot reach the cost is faster. */
const manyLists = 4;

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

  /** Runs a step. The result is in the readers' scratch space. */
  run(step: MatchStep): number {
    if (step.kind === "keyed") return this.#countKeyed(step.key);
    if (step.kind === "everything") return this.#everything();
    if (step.kind === "nothing") return this.#nothing();
    return step.kind === "all"
      ? this.#withAll(step.words, step.key)
      : this.#withShare(step.words, step.units, step.relaxation);
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
      if (meant !== undefined && meant.length > 0) unite(matches, keyedPostings(meant), keyWeight, 0);
    });
  }

  /** The number of documents with the key, regardless of filters. */
  #countKeyed(key: string): number {
    return this.readers.reduce((sum, reader) => sum + reader.documentsWithKey(key).length, 0);
  }

  #withShare(
    words: readonly WeighedWord[],
    units: readonly Unit[],
    { least, needsNaming }: Relaxation,
  ): number {
    const all = units.reduce((sum, { cost }) => sum + cost, 0);
    const parts = units.flatMap(({ places }) => (places.length === 1 ? [] : places));
    return this.inEach(({ state: { matches, union } }, i) => {
      const lists = unitLists(words, units, i);
      const naming = lists.filter(({ isNaming }) => isNaming);
      const first = needsNaming && naming.length > 0 ? naming : startingLists(lists, least);
      clear(matches);
      uniteAll(matches, first, union.marks);
      const others = lists.filter((list) => !first.includes(list));
      let left = others.reduce((sum, { cost }) => sum + cost, 0);
      for (const { list, weight, cost } of others) {
        if (others.length >= manyLists) keepReaching(matches, least - left);
        addScores(matches, list, weight, cost);
        left -= cost;
      }
      keepWithShare(matches, least, all);
      // A phrase gives the points of its words, also to documents that have only one of them.
      for (const place of parts)
        addScores(matches, words[place]?.lists[i] ?? noPostings, words[place]?.weight ?? 0, 0);
    });
  }

  addOptional(words: readonly WeighedWord[]): void {
    for (const word of words) {
      if (word.as !== "optional") continue;
      this.readers.forEach(({ state }, i) => {
        addScores(state.matches, word.lists[i] ?? noPostings, word.weight, 0);
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
    .filter(({ cost }) => cost > 0)
    .map(({ lists, weight, cost }) => ({ list: lists[segment] ?? noPostings, weight, cost }));
  return lists.sort((a, b) => postingCount(a.list) - postingCount(b.list));
}

/** The postings of the units in one segment, rarest first. */
function unitLists(words: readonly WeighedWord[], units: readonly Unit[], segment: number) {
  const lists = units.map(({ places, cost, isNaming }) => {
    const [only, second] = places.map((place) => words[place]);
    const list =
      second === undefined
        ? (only?.lists[segment] ?? noPostings)
        : intersectLists(places.map((place) => words[place]?.lists[segment] ?? noPostings));
    return { list, weight: second === undefined ? (only?.weight ?? 0) : 0, cost, isNaming };
  });
  return lists.sort((a, b) => postingCount(a.list) - postingCount(b.list));
}

/**
 * The lists of which every sufficient document is in one: a sufficient document has one of the rarest units, unless the rest
 * alone is sufficient.
 */
function startingLists(lists: ReturnType<typeof unitLists>, least: number) {
  let left = lists.reduce((sum, { cost }) => sum + cost, 0);
  return lists.filter(({ cost }) => {
    const isNeeded = left >= least;
    left -= cost;
    return isNeeded;
  });
}
