import type { PlannedWord, QueryPlan } from "../query/query-plan.ts";
import { type Postings, postingCount } from "../segment/postings.ts";
import type { SegmentReader } from "./segment-reader.ts";

/** A word of the query with its postings in each segment and its weight. */
export interface WeighedWord extends PlannedWord {
  readonly lists: readonly Postings[];
  readonly documents: number;
  /** The logarithm of its rarity. */
  readonly rarity: number;
  /** The points for one unit of impact. */
  readonly weight: number;
}

/**
 * Points for one unit of rarity at full impact. Scores are integers: their sums are exact and the same in any order.
 */
export const maxPoints = 16 * 255;
// Every match counts a little, however common the word is.
const presencePoints = 2;
// The last word of a query usually names the thing ("table lamp"); the others only describe it.
const headShare = 0.1;

export function weighWords(
  readers: readonly SegmentReader[],
  { words, thing }: QueryPlan,
): readonly WeighedWord[] {
  const all = readers.reduce((sum, reader) => sum + reader.segment.documents, 0);
  const weighed = words.map((word) => {
    const { alternatives, as, used, cost } = word;
    const lists = readers.map((reader) => reader.postingsOf(alternatives));
    const documents = lists.reduce((sum, list) => sum + postingCount(list), 0);
    const rarity = Math.log(1 + (all - documents + 0.5) / (documents + 0.5));
    return { word: word.word, as, used, alternatives, cost, lists, documents, rarity, weight: 0 };
  });
  const meanRarity = meanRarityOf(weighed);
  weighed.forEach((word, i) => {
    const extra = i === thing ? headShare * meanRarity : 0;
    word.weight = Math.max(1, Math.round((maxPoints / 255) * (word.rarity + presencePoints + extra)));
  });
  return weighed;
}

export function meanRarityOf(words: ReadonlyArray<{ readonly rarity: number }>): number {
  return words.reduce((sum, { rarity }) => sum + rarity, 0) / Math.max(1, words.length);
}
