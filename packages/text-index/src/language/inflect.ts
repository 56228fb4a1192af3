import { StringCache } from "../bounded-cache.ts";
import { fold } from "../text/fold.ts";

/** The different words of a text, as documents and queries have them. */
export function foldedWords(text: string): string[] {
  return fold(text).trim().split(/\s+/);
}

/** The words of a text with each of these endings. */
export function withEndings(text: string, endings: readonly string[]): string[] {
  return foldedWords(text).flatMap((word) => endings.map((ending) => word + ending));
}

/** A map from each spelling to its word, from lines such as `kg: kilo kilogramm`. */
export function spellings(lines: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(lines).flatMap(([word, others]) => foldedWords(others).map((other) => [other, word])),
  );
}

/** The term of a word: as spelled differently, or its stem. Stemming a word takes much longer than looking it up. */
export function createTermOf(
  spelled: ReadonlyMap<string, string>,
  stem: (word: string) => string,
): (word: string) => string {
  const terms = new StringCache<string>(cachedTerms);
  return (word) => terms.get(word, () => spelled.get(word) ?? stem(word));
}

const cachedTerms = 2 ** 15;
