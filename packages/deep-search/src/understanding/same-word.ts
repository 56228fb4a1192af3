import { fold } from "@product-search/core/domain/fold.ts";

/** The common part of an English singular and plural (shelf, shelves), to compare words. The index has its own stemming. */
export function wordStem(word: string): string {
  // "Berry" and "hoodie" have the same plural ending.
  if (word.length > 4 && /ies?$/u.test(word)) return word.replace(/ies?$/u, "y");
  if (word.length < 4 || /(?:ss|us|is)$/u.test(word)) return word;
  return word.replace(/(?:es|s|e)$/u, "").replace(/f$/u, "v");
}

/** A name or word in a form for comparison: without case, accents and plural. */
export function comparable(text: string): string {
  return fold(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "")
    .map(wordStem)
    .join(" ");
}

/** A shorter word is the end of many others: "ring" of "string". */
const leastCompound = 4;

/** Whether a name has the noun, also as the end of a compound: a smartwatch is a watch, an armchair a chair. */
export function namesThing(name: string, noun: string): boolean {
  const thing = comparable(noun);
  if (thing === "") return false;
  const text = ` ${comparable(name)} `;
  return text.includes(` ${thing} `) || (thing.length >= leastCompound && text.includes(`${thing} `));
}
