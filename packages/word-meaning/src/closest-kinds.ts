import { contentWords } from "./choose-kinds.ts";
import { type KindTable, nearestKinds, type ScoredKind } from "./kinds.ts";
import type { WordMeaning } from "./word-meaning.ts";

/** The kinds nearest to a text, best first, however far they are. The caller decides which of them are near enough. */
export function closestKinds(
  meaning: WordMeaning,
  table: KindTable,
  text: string,
  limit: number,
): readonly ScoredKind[] {
  const vector = meaning.vectorOf(contentWords(text));
  return vector === undefined ? [] : nearestKinds(table, vector, limit);
}
