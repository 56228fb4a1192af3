import { fold } from "../../../domain/fold.ts";

/** What English singular and plural have in common (shelf, shelves): enough to compare words; the index does its own stemming. */
export function wordStem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length < 4 || /(?:ss|us|is)$/u.test(word)) return word;
  return word.replace(/(?:es|s|e)$/u, "").replace(/f$/u, "v");
}

/** A name or a word as it is compared: without case, accents and plural. */
export function comparable(text: string): string {
  return fold(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "")
    .map(wordStem)
    .join(" ");
}
