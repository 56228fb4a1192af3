export { chooseKinds, isFixedName, namedThing } from "./choose-kinds.ts";
export { closestKinds } from "./closest-kinds.ts";
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
