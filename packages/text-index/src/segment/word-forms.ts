import { indexOfString, lowerBound, type StringTable, stringAt, stringCount } from "./string-table.ts";

/**
 * One word may have different terms in different languages: "Hose" and "hose". In the vocabulary, a word of documents in
 * another language than the first one ends with this mark and the two letters of its language.
 */
const mark = "\u0001";
const markByte = 1;
const tagBytes = 3;

export function taggedWord(word: string, tag: string): string {
  return tag === "" ? word : `${word}${mark}${tag}`;
}

/** A word of the vocabulary as written. */
export function wordAt(words: StringTable, index: number): string {
  const text = stringAt(words, index);
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/** The end of the bytes of a word as written. */
export function endOfWord({ offsets, bytes }: StringTable, index: number): number {
  const end = offsets[index + 1] ?? 0;
  return bytes[end - tagBytes] === markByte ? end - tagBytes : end;
}

/** The numbers of a word in all languages. */
export function numbersOfWord(words: StringTable, word: string): number[] {
  const found: number[] = [];
  // Those of other languages come right after the word itself.
  for (let at = lowerBound(words, word); at < stringCount(words) && wordAt(words, at) === word; at++)
    found.push(at);
  return found;
}

export function hasWord(words: StringTable, word: string, tag: string): boolean {
  return indexOfString(words, taggedWord(word, tag)) >= 0;
}
