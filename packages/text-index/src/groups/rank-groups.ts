import { keepMarkedEntries } from "../search/matches/keep-matches.ts";
import {
  Hits,
  lastDocuments,
  type Ranking,
  rankedColumn,
  rankingOf,
  rerankedCount,
  rerankedHits,
  roundScore,
  type ScoreFactors,
} from "../search/rank-hits.ts";
import type { GroupOfHits, SearchQuery } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { lastStep } from "../search/top-hits.ts";
import type { WeighedWord } from "../search/weigh-words.ts";
import { precedes } from "../segment/document-order.ts";
import { type Groups, noEntry } from "./groups.ts";

export interface GroupHit {
  readonly reader: number;
  readonly doc: number;
  readonly score: number;
}

/**
 * The page of a query with one hit for each group: the hits without groups, in the same order, of which only the first of each
 * group is kept. In the readers' scratch space at most one match of each group is left.
 */
export function rankGroups(
  readers: readonly SegmentReader[],
  query: SearchQuery,
  words: readonly WeighedWord[],
  thing: number,
  groups: Groups,
  factors?: readonly ScoreFactors[],
): GroupHit[] {
  const { offset, limit } = query;
  const ranking = rankingOf(query);
  const reranked = rerankedCount(ranking, words);
  const first = reranked === 0 ? [] : firstByNames(readers, query, words, thing, groups, factors);
  const places = new Set(first.map(({ reader, doc }) => groups.placeOf(reader, doc)));
  // The others are behind these, whatever their names.
  const left = keepBestOfGroups(readers, ranking, groups, places, factors);
  const from = Math.max(0, offset - first.length);
  const to = offset + limit - first.length;
  const others = new Hits(readers, Math.max(0, to), ranking, left);
  const page = to > from ? others.hitsOf(others.page(from, to, 0), ranking.sort) : [];
  return [...first.slice(offset, offset + limit), ...page];
}

/** Of the documents that are ranked by their names, the first of each group. */
export function firstByNames(
  readers: readonly SegmentReader[],
  { text, lastAvailability: last }: Pick<SearchQuery, "text" | "lastAvailability">,
  words: readonly WeighedWord[],
  thing: number,
  groups: Groups,
  factors?: readonly ScoreFactors[],
): GroupHit[] {
  const hits = new Hits(readers, rerankedHits, { sort: "relevance", order: "desc", last }, factors);
  hits.addNameBonus(rerankedHits, { text, words, thing });
  const places = new Set<number>();
  return hits.hitsOf(hits.page(0, rerankedHits, rerankedHits), "relevance").filter(({ reader, doc }) => {
    const place = groups.placeOf(reader, doc);
    const isFirst = !places.has(place);
    places.add(place);
    return isFirst;
  });
}

/** Leaves the first match of each group, and none of the groups at `without`. Returns the factors of what is left. */
function keepBestOfGroups(
  readers: readonly SegmentReader[],
  ranking: Ranking,
  groups: Groups,
  without: ReadonlySet<number>,
  factors: readonly ScoreFactors[] | undefined,
): ScoreFactors[] | undefined {
  const { heads, next, docs, readers: readerOf } = groups;
  const starts = startsOf(readers);
  const { columns, scoreWeight } = rankedColumn(readers, ranking);
  const sign = ranking.order === "asc" ? -1 : 1;
  const scoreAt = (entry: number): number => {
    const reader = readerOf[entry] ?? 0;
    const at = entry - (starts[reader] ?? 0);
    const score = readers[reader]?.state.matches.scores[at] ?? 0;
    return factors === undefined ? score : roundScore(score * (factors[reader]?.factors[at] ?? 1));
  };
  const lastOf = readers.map((reader) => lastDocuments(reader, ranking));
  const valueAt = (entry: number): number => {
    const reader = readerOf[entry] ?? 0;
    const doc = docs[entry] ?? 0;
    const column = columns?.[reader];
    if (column !== undefined) return sign * (column[doc] ?? 0);
    const last = lastOf[reader];
    const isLast = last !== undefined && last.codes[doc] === last.code;
    return sign * scoreAt(entry) - (isLast ? lastStep : 0);
  };
  const isBetter = (entry: number, best: number): boolean => {
    const difference = valueAt(entry) - valueAt(best);
    if (difference !== 0) return difference > 0;
    const scores = scoreWeight === 0 ? 0 : scoreAt(entry) - scoreAt(best);
    if (scores !== 0) return scores > 0;
    const one = readers[readerOf[entry] ?? 0];
    const other = readers[readerOf[best] ?? 0];
    if (one === undefined || other === undefined) return false;
    return one === other
      ? (docs[entry] ?? 0) < (docs[best] ?? 0)
      : precedes(one.segment, docs[entry] ?? 0, other.segment, docs[best] ?? 0);
  };
  const kept = new Uint8Array(groups.entries);
  for (let place = 0; place < groups.count; place++) {
    let best = heads[place] ?? 0;
    for (let entry = next[best] ?? noEntry; entry !== noEntry; entry = next[entry] ?? noEntry)
      if (isBetter(entry, best)) best = entry;
    kept[best] = 1;
  }
  for (const place of without) for (const entry of groups.membersOf(place)) kept[entry] = 0;
  readers.forEach(({ state: { matches } }, reader) => {
    keepMarkedEntries(matches, kept, starts[reader] ?? 0);
  });
  const isKept = (reader: number) => (_: number, at: number) => kept[(starts[reader] ?? 0) + at] === 1;
  return factors?.map((of, reader) => ({
    docs: of.docs.filter(isKept(reader)),
    factors: of.factors.filter(isKept(reader)),
  }));
}

/** The first entry of each reader's matches. */
function startsOf(readers: readonly SegmentReader[]): number[] {
  let start = 0;
  return readers.map(({ state: { matches } }) => {
    const own = start;
    start += matches.count;
    return own;
  });
}

/** The matches of each hit's group. */
export function variantsOf(
  readers: readonly SegmentReader[],
  hits: readonly GroupHit[],
  groups: Groups,
  limit: number,
): GroupOfHits[] {
  return hits.map(({ reader, doc }) => {
    const members = groups.membersOf(groups.placeOf(reader, doc)).map((entry) => ({
      doc: groups.docs[entry] ?? 0,
      segment: readers[groups.readers[entry] ?? 0]?.segment,
    }));
    const prices = members.map(({ doc: one, segment }) => segment?.sections.prices[one] ?? 0);
    // Those of each segment are in order already.
    members.sort((a, b) => {
      if (a.segment === b.segment || a.segment === undefined || b.segment === undefined) return a.doc - b.doc;
      return precedes(a.segment, a.doc, b.segment, b.doc) ? -1 : 1;
    });
    return {
      count: members.length,
      minPriceMinor: prices.reduce((least, price) => Math.min(least, price), Number.POSITIVE_INFINITY),
      maxPriceMinor: prices.reduce((most, price) => Math.max(most, price), 0),
      rowIds: members.slice(0, limit).map(({ doc: one, segment }) => segment?.sections.ids[one] ?? 0),
    };
  });
}
