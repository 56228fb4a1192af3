/** Words or phrases by language, as in the files in `words/`. */
export type WordsByLanguage = Readonly<Record<string, readonly string[]>>;

/**
 * A letter or digit of any script, as "anything but space and punctuation". Such patterns compile a hundred times
 * faster than with \p{L}.
 */
const marks = "\\s!-\\/:-@\\[-`{-~¤⟦⟧≈≤≥“”„«»€£¥₹₺₩";
export const letter = `[^${marks}]`;
export const letterButNoDigit = `[^\\d${marks}]`;

/** A pattern that matches any of the words, but not inside a longer word. */
export function alternation(...lists: readonly (WordsByLanguage | readonly string[])[]): string {
  const words = [...new Set(lists.flatMap((list) => Object.values(list).flat()))];
  const isWord = new RegExp(letter);
  const signs = words.filter((word) => !isWord.test(word));
  const others = words.filter((word) => isWord.test(word));
  const parts = [
    ...(others.length > 0
      ? [`(?<!${letter})(?:${maxFirstLength(others)})(?:(?<!${letter})|(?!${letter}))`]
      : []),
    ...(signs.length > 0 ? [maxFirstLength(signs)] : []),
  ];
  return `(?:${parts.join("|")})`;
}

function maxFirstLength(words: readonly string[]): string {
  return words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"))
    .join("|");
}
