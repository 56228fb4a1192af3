export { chooseKinds, contentWords, isFixedName, isWeak, namedThing } from "./choose-kinds.ts";
export { closestKinds } from "./closest-kinds.ts";
export { findKinds, type ProductTexts } from "./find-kinds.ts";
export { type CatalogKind, createKindTable, type KindTable, tellingWords } from "./kinds.ts";
export { readWordTable } from "./table.ts";
export { openWordMeaning, type WordMeaning } from "./word-meaning.ts";
