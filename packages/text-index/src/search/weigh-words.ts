import type { PlannedWord, QueryPlan } from "../query/query-plan.ts";
import { type Postings, postingCount } from "../segment/postings.ts";
import type { SegmentReader } from "./segment-reader.ts";

/** A word of the query with its postings in each segment and what it tells about a document. */
export interface WeighedWord extends PlannedWord {
  readonly lists: readonly Postings[];
  readonly documents: number;
  /** The logarithm of how rare it is. */
  readonly rarity: number;
  /** What an impact counts. */
  readonly weight: number;
}

/** Points for one unit of rarity at full impact. Scores are integers: their sums are exact and the same in any order. */
export const POINTS = 16 * 255;
// Having a word at all counts for something, however common it is.
const PRESENCE = 2;
// The last word of a query is what the wanted thing is ("table lamp"); the others only describe it.
const HEAD_SHARE = 0.1;

export function weighWords(
  readers: readonly SegmentReader[],
  { words, thing }: QueryPlan,
): readonly WeighedWord[] {
  const all = readers.reduce((sum, reader) => sum + reader.segment.documents, 0);
  const weighed = words.map((word) => {
    const lists = readers.map((reader) => reader.postingsOf(word.alternatives));
    const documents = lists.reduce((sum, list) => sum + postingCount(list), 0);
    return { ...word, lists, documents, rarity: Math.log(1 + (all - documents + 0.5) / (documents + 0.5)) };
  });
  const meanRarity = meanRarityOf(weighed);
  return weighed.map((word, i) => {
    const extra = i === thing ? HEAD_SHARE * meanRarity : 0;
    return { ...word, weight: Math.max(1, Math.round((POINTS / 255) * (word.rarity + PRESENCE + extra))) };
  });
}

export function meanRarityOf(words: ReadonlyArray<{ readonly rarity: number }>): number {
  return words.reduce((sum, { rarity }) => sum + rarity, 0) / Math.max(1, words.length);
}
