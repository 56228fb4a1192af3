import type { PlannedWord } from "../query/query-plan.ts";
import type { Reading } from "../query/reading.ts";
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

/** A reading with what ranks its documents. */
export interface WeighedReading extends Reading {
  readonly words: readonly WeighedWord[];
}

/**
 * Points for one unit of rarity at full impact. Scores are integers: their sums are exact and the same in any order.
 */
export const maxPoints = 16 * 255;
// Every match counts a little, however common the word is.
const presencePoints = 2;
// The last word of a query usually names the thing ("table lamp"); the others only describe it.
const headShare = 0.1;

export function weighReading(readers: readonly SegmentReader[], reading: Reading): WeighedReading {
  const all = readers.reduce((sum, reader) => sum + reader.segment.documents, 0);
  const counted = listWords(readers, reading.words).map((word) => ({
    ...word,
    rarity: Math.log(1 + (all - word.documents + 0.5) / (word.documents + 0.5)),
  }));
  const meanRarity = meanRarityOf(counted);
  const words = counted.map((word, i) => {
    const extra = i === reading.thing ? headShare * meanRarity : 0;
    const weight = Math.max(1, Math.round((maxPoints / 255) * (word.rarity + presencePoints + extra)));
    return { ...word, weight };
  });
  return { ...reading, words };
}

/** The words with the documents that have them. */
export function listWords(readers: readonly SegmentReader[], words: readonly PlannedWord[]) {
  return words.map((word) => {
    const lists = readers.map((reader) => reader.postingsOf(word.alternatives));
    return { ...word, lists, documents: lists.reduce((sum, list) => sum + postingCount(list), 0) };
  });
}

export function meanRarityOf(words: ReadonlyArray<{ readonly rarity: number }>): number {
  return words.reduce((sum, { rarity }) => sum + rarity, 0) / Math.max(1, words.length);
}

/** With so many matches, or as many as related ones are wanted, nothing related is needed after them. */
const enoughMatches = 20;

/** Whether documents with some of the words are looked for. One word alone has none. */
export function needsRelated(limit: number, { words }: Reading, total: number): boolean {
  if (limit === 0 || total >= Math.max(limit, enoughMatches)) return false;
  const known = words.filter(({ alternatives, as }) => alternatives.length > 0 && as !== "optional");
  return known.length > 1 || total === 0;
}

/** More words add nothing to the best, and take time. */
const mostWords = 8;

/** The words by which documents are related, and the others. */
export function rarestWords(words: readonly WeighedWord[]): [WeighedWord[], WeighedWord[]] {
  const rarestFirst = words
    .filter(({ documents, as }) => documents > 0 && as !== "optional")
    .sort((a, b) => a.documents - b.documents);
  return [rarestFirst.slice(0, mostWords), rarestFirst.slice(mostWords)];
}
