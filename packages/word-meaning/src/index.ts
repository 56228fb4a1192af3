import {
  bestKinds,
  type CatalogKind,
  type KindTable,
  type ScoredKind,
  scoreOfUnmet,
  scoresOfText,
} from "./kinds.ts";
import type { WordMeaning } from "./word-meaning.ts";

export { chooseKinds, isFixedName, namedThing } from "./choose-kinds.ts";
export { findKinds, type ProductTexts } from "./find-kinds.ts";
export {
  type CatalogKind,
  createKindTable,
  type KindTable,
  type KindVectors,
  tellingWords,
} from "./kinds.ts";
export { type MeaningMemory, openWordMeaning, readMeaning, type WordMeaning } from "./word-meaning.ts";
export { contentWords } from "./words.ts";

/**
 * The kinds nearest to a text, best first, however far they are: the caller decides which of them are near enough. None if it says
 * a need that none of them meets.
 */
export function closestKinds(
  meaning: WordMeaning,
  table: KindTable,
  text: string,
  limit: number,
  isLeftOut: (kind: CatalogKind) => boolean = () => false,
): readonly ScoredKind[] {
  const scores = scoresOfText(meaning, table, text);
  if (scores === undefined) return [];
  table.kinds.forEach((kind, at) => {
    if (isLeftOut(kind) || scores[at] === scoreOfUnmet) scores[at] = Number.NaN;
  });
  return bestKinds(table, scores, limit);
}
