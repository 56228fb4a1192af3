import { noPostings, postingCount } from "../segment/postings.ts";
import type { Matched } from "./match-query.ts";
import { addScores, unite } from "./matches/join-postings.ts";
import { keepUnmarked } from "./matches/keep-matches.ts";
import { clear, settle } from "./matches/matches.ts";
import type { Matching } from "./matching.ts";
import { rankHits, rerankedHits } from "./rank-hits.ts";
import type { SegmentReader } from "./segment-reader.ts";
import type { WeighedWord } from "./weigh-words.ts";

const maxImpact = 255;

/**
 * The best documents that have only some of the words and are not among the matches. The matches must still be in the
 * readers' scratch space; the result replaces them there.
 */
export function findRelated(search: Matching, { words, thing }: Matched, limit: number): number[] {
  const marks = search.readers.map(markMatches);
  const known = words.filter(({ documents }) => documents > 0);
  search.readers.forEach((reader, i) => {
    // Only documents that can be a result raise the floor: those of the filters, without the matches.
    const keepEligible = () => {
      search.filter(i);
      keepUnmarked(reader.state.matches, marks[i] ?? new Uint8Array());
    };
    loadAnyWord(reader, i, known, Math.max(limit, rerankedHits), keepEligible);
  });
  const page = { text: "", offset: 0, limit } as const;
  return rankHits(search.readers, page, words, thing).ids;
}

function markMatches({ state: { matches }, segment }: SegmentReader): Uint8Array {
  settle(matches);
  const marked = new Uint8Array(segment.documents);
  for (let i = 0; i < matches.count; i++) marked[matches.docs[i] ?? 0] = 1;
  return marked;
}

/**
 * Joins the lists of the words, starting with the one that can give most points, until a document without any of
 * those words can no longer be among the best. The remaining, longest lists are only looked up (MaxScore: H. Turtle,
 * J. Flood, "Query evaluation: strategies and optimizations", 1995).
 */
function loadAnyWord(
  reader: SegmentReader,
  place: number,
  words: readonly WeighedWord[],
  best: number,
  keepEligible: () => void,
): void {
  const { matches } = reader.state;
  const lists = words
    .map(({ lists, weight }) => ({ list: lists[place] ?? noPostings, weight }))
    .toSorted((a, b) => b.weight - a.weight || postingCount(a.list) - postingCount(b.list));
  clear(matches);
  lists.forEach(({ list, weight }, i) => {
    const reachable = lists.slice(i).reduce((sum, other) => sum + other.weight * maxImpact, 0);
    if (reachable > floorOf(reader, best)) {
      unite(matches, list, weight, 1);
      keepEligible();
    } else addScores(matches, list, weight, 1);
  });
}

/** The score that at least this many documents reach; 0 if there are fewer. */
function floorOf({ state: { matches, top } }: SegmentReader, best: number): number {
  if (matches.count < best) return 0;
  top.start(best, matches.count);
  top.offerScores(matches, 1);
  top.finish();
  return top.primary.subarray(0, top.count).reduce((least, score) => Math.min(least, score), Infinity);
}
