import { applyFilter, createFilter, type SegmentFilter } from "./filter.ts";
import {
  addScores,
  intersect,
  loadAll,
  loadPostings,
  noPostings,
  type Postings,
  postingCount,
} from "./matches.ts";
import { type QueryWord, withCompletion } from "./read-query.ts";
import type { SearchFilters } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

/** A word with its postings in each segment and what it tells: rare words tell more. */
export interface WeighedWord extends QueryWord {
  readonly lists: readonly Postings[];
  readonly documents: number;
  readonly weight: number;
}

export interface Matched {
  /** In the order of the query. */
  readonly words: readonly WeighedWord[];
  readonly dropped: ReadonlySet<WeighedWord>;
  readonly total: number;
  readonly totalWithEveryWord: number;
}

// Weights are small integers, so that sums are exact and the same in any order.
const WEIGHT_UNIT = 16;

export interface Demands {
  /** With fewer hits than this, words are dropped. */
  readonly enough: number;
  /** Drop no word. */
  readonly everyWord: boolean;
}

/**
 * Finds the documents that have all the words; while they are fewer than `enough`, lets the last word be a beginning,
 * then drops word after word, the least telling first. What was found is left in the readers' scratch space.
 */
export function matchQuery(
  readers: readonly SegmentReader[],
  query: readonly QueryWord[] | "everything",
  filters: SearchFilters,
  { enough, everyWord }: Demands,
): Matched {
  const compiled = readers.map((reader) => createFilter(reader, filters));
  if (query === "everything") {
    const total = matchEverything(readers, compiled);
    return { words: [], dropped: new Set(), total, totalWithEveryWord: total };
  }
  if (everyWord && query.some(({ as }) => as === "unknown"))
    return matchNothing(readers, weigh(readers, query));
  let words = weigh(readers, query);
  const dropped = new Set<WeighedWord>();
  let total = matchRequired(readers, words, dropped, compiled);
  if (total < enough) {
    const completed = withCompletion(readers, query);
    if (completed !== undefined) {
      words = weigh(readers, completed);
      total = matchRequired(readers, words, dropped, compiled);
    }
  }
  const totalWithEveryWord = total;
  for (;;) {
    const required = words.filter((word) => isRequired(word) && !dropped.has(word));
    if (everyWord || total >= enough || required.length <= 1) break;
    dropped.add(required.reduce((least, word) => (word.documents > least.documents ? word : least)));
    total = matchRequired(readers, words, dropped, compiled);
  }
  const extras = words.filter((word) => word.documents > 0 && (dropped.has(word) || word.as === "optional"));
  readers.forEach((reader, i) => {
    for (const word of extras) addScores(reader.state.matches, word.lists[i] ?? noPostings, word.weight);
  });
  return { words, dropped, total, totalWithEveryWord };
}

function isRequired(word: WeighedWord): boolean {
  return word.as !== "optional" && word.as !== "unknown";
}

function weigh(readers: readonly SegmentReader[], words: readonly QueryWord[]): WeighedWord[] {
  const all = readers.reduce((sum, reader) => sum + reader.segment.documents, 0);
  return words.map((word) => {
    const lists = readers.map((reader) => reader.postingsOf(word.alternatives));
    const documents = lists.reduce((sum, list) => sum + postingCount(list), 0);
    const rarity = Math.log(1 + (all - documents + 0.5) / (documents + 0.5));
    return { ...word, lists, documents, weight: Math.max(1, Math.round(WEIGHT_UNIT * rarity)) };
  });
}

function matchNothing(readers: readonly SegmentReader[], words: readonly WeighedWord[]): Matched {
  for (const { state } of readers) state.matches.count = 0;
  return { words, dropped: new Set(), total: 0, totalWithEveryWord: 0 };
}

function matchEverything(readers: readonly SegmentReader[], filters: readonly SegmentFilter[]): number {
  return readers.reduce((total, { segment, state: { matches } }, i) => {
    loadAll(matches, segment.documents);
    const filter = filters[i];
    if (filter !== undefined) applyFilter(matches, filter);
    return total + matches.count;
  }, 0);
}

function matchRequired(
  readers: readonly SegmentReader[],
  words: readonly WeighedWord[],
  dropped: ReadonlySet<WeighedWord>,
  filters: readonly SegmentFilter[],
): number {
  const required = words.filter((word) => isRequired(word) && !dropped.has(word));
  return readers.reduce((total, reader, i) => {
    const { matches } = reader.state;
    const lists = required.map((word) => ({ list: word.lists[i] ?? noPostings, weight: word.weight }));
    lists.sort((a, b) => postingCount(a.list) - postingCount(b.list));
    const [rarest, ...others] = lists;
    if (rarest !== undefined) loadPostings(matches, rarest.list, rarest.weight);
    else matches.count = 0;
    for (const { list, weight } of others) intersect(matches, list, weight);
    const filter = filters[i];
    if (filter !== undefined) applyFilter(matches, filter);
    return total + matches.count;
  }, 0);
}
