import { noNearMisses } from "../facets/near-misses.ts";
import { type QueryWord, withCompletion } from "../query/read-query.ts";
import { noPostings, postingCount } from "../segment/postings.ts";
import { applyFilter, candidates, createFilter, type SegmentFilter } from "./filter.ts";
import {
  addScores,
  clear,
  intersect,
  keepWithWords,
  loadAll,
  loadDocuments,
  loadPostings,
  unite,
} from "./matches.ts";
import type { FacetKind, SearchFilters } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { type WeighedWord, weighWords } from "./weigh-words.ts";

export interface Matched {
  /** In the order of the query. */
  readonly words: readonly WeighedWord[];
  readonly total: number;
  readonly totalWithEveryWord: number;
}

export interface Demands {
  /** With fewer hits than this, documents that lack words match, too. */
  readonly enough: number;
  /** Never that. */
  readonly everyWord: boolean;
  /** Facets whose near misses are wanted: documents that fail their filter alone. */
  readonly apart: readonly FacetKind[];
}

/** One after the other this many words may be missing; if that is not enough, any number. */
const STEPS = [1, 2] as const;

/**
 * Finds the documents that have all the words. While they are fewer than `enough`, it lets the last word be a
 * beginning, then lets a word be missing, then two, and at last takes the most words that enough documents have. What
 * was found is left in the readers' scratch space.
 */
export function matchQuery(
  readers: readonly SegmentReader[],
  query: readonly QueryWord[] | "everything",
  filters: SearchFilters,
  { enough, everyWord, apart }: Demands,
): Matched {
  const search = new Matching(readers, filters, apart);
  if (query === "everything") {
    const total = search.everything();
    return { words: [], total, totalWithEveryWord: total };
  }
  let words = weighWords(readers, query);
  if (everyWord && query.some(({ as }) => as === "unknown")) return { words, ...search.nothing() };
  let total = search.withAll(words);
  const completed = total < enough ? withCompletion(readers, query) : undefined;
  if (completed !== undefined) {
    words = weighWords(readers, completed);
    total = search.withAll(words);
  }
  const totalWithEveryWord = total;
  if (!everyWord) {
    const required = words.filter(isRequired).length;
    for (const missing of STEPS) {
      if (total < enough && required - missing >= 1) total = search.withAtLeast(words, required - missing);
    }
    if (total < enough && required - STEPS.length > 1) total = search.withMost(words, enough);
  }
  search.addOptional(words);
  return { words, total, totalWithEveryWord };
}

function isRequired(word: WeighedWord): boolean {
  return word.as !== "optional" && word.as !== "unknown";
}

class Matching {
  readonly #readers: readonly SegmentReader[];
  readonly #filters: readonly SegmentFilter[];

  constructor(readers: readonly SegmentReader[], filters: SearchFilters, apart: readonly FacetKind[]) {
    this.#readers = readers;
    this.#filters = readers.map((reader) => createFilter(reader, filters, apart));
  }

  nothing(): { total: number; totalWithEveryWord: number } {
    for (const { state } of this.#readers) {
      clear(state.matches);
      state.nearMisses = noNearMisses;
    }
    return { total: 0, totalWithEveryWord: 0 };
  }

  everything(): number {
    return this.#inEach(({ state, segment }, i) => {
      const filter = this.#filters[i];
      const few = filter && candidates(filter);
      if (few === undefined) loadAll(state.matches, segment.documents);
      else loadDocuments(state.matches, few);
    });
  }

  withAll(words: readonly WeighedWord[]): number {
    return this.#inEach(({ state: { matches } }, i) => {
      const [rarest, ...others] = listsOf(words, i);
      if (rarest === undefined) clear(matches);
      else loadPostings(matches, rarest.list, rarest.weight);
      for (const { list, weight } of others) intersect(matches, list, weight);
    });
  }

  /** A document with at least `least` of n words has one of the n − least + 1 rarest: only theirs are looked at. */
  withAtLeast(words: readonly WeighedWord[], least: number): number {
    return this.#inEach(({ state: { matches } }, i) => {
      const lists = listsOf(words, i);
      clear(matches);
      lists.forEach(({ list, weight }, n) => {
        if (n <= lists.length - least) unite(matches, list, weight);
        else addScores(matches, list, weight);
      });
      keepWithWords(matches, least);
    });
  }

  /** The documents with the most words: as many words as at least `enough` documents have. */
  withMost(words: readonly WeighedWord[], enough: number): number {
    this.withAtLeast(words, 1);
    const having = new Uint32Array(words.length + 2);
    for (const { state } of this.#readers) {
      for (let i = 0; i < state.matches.count; i++) {
        const count = state.matches.words[i] ?? 0;
        having[count] = (having[count] ?? 0) + 1;
      }
    }
    let least = words.length;
    for (let total = having[least] ?? 0; total < enough && least > 1; total += having[least] ?? 0) least--;
    // Near misses must have as many words as matches.
    if (this.#filters.some(({ own }) => own.length > 0)) return this.withAtLeast(words, least);
    return this.#readers.reduce((total, { state }) => {
      keepWithWords(state.matches, least);
      return total + state.matches.count;
    }, 0);
  }

  addOptional(words: readonly WeighedWord[]): void {
    for (const word of words) {
      if (word.as !== "optional") continue;
      this.#readers.forEach(({ state }, i) => {
        addScores(state.matches, word.lists[i] ?? noPostings, word.weight);
      });
    }
  }

  /** Lets `match` fill each reader's scratch space, applies the filters and adds up what is left. */
  #inEach(match: (reader: SegmentReader, place: number) => void): number {
    return this.#readers.reduce((total, reader, i) => {
      match(reader, i);
      const filter = this.#filters[i];
      if (filter !== undefined) applyFilter(reader.state.matches, filter);
      return total + reader.state.matches.count;
    }, 0);
  }
}

/** The postings of the required words in one segment, the rarest first. */
function listsOf(words: readonly WeighedWord[], segment: number) {
  const lists = words
    .filter(isRequired)
    .map(({ lists, weight }) => ({ list: lists[segment] ?? noPostings, weight }));
  return lists.sort((a, b) => postingCount(a.list) - postingCount(b.list));
}
