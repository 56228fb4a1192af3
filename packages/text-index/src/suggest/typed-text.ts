import { tokenize } from "../text/tokenize.ts";

/** What somebody has typed so far: whole words, and the beginning of the next. */
export interface TypedText {
  readonly whole: readonly string[];
  /** Empty when the next word has not been begun. */
  readonly begun: string;
}

/** More words than this are not completed. */
const maxWords = 8;
const openEnd = /[\p{L}\p{M}\p{N}]$/u;

/** Undefined when there is no word in it, or too many. */
export function readTyped(text: string): TypedText | undefined {
  const words = tokenize(text, "query");
  if (words.length === 0 || words.length > maxWords) return undefined;
  return openEnd.test(text)
    ? { whole: words.slice(0, -1), begun: words.at(-1) ?? "" }
    : { whole: words, begun: "" };
}
