import { tokenize } from "../text/tokenize.ts";

/** The typed text: whole words, and the beginning of the next one. */
export interface TypedText {
  readonly whole: readonly string[];
  /** Empty if the next word has not been started. */
  readonly begun: string;
}

/** More words than this are not completed. */
const maxWords = 8;
const openEnd = /[\p{L}\p{M}\p{N}]$/u;

/** Undefined if it has no words, or too many. */
export function readTyped(text: string): TypedText | undefined {
  const words = tokenize(text, "query");
  if (words.length === 0 || words.length > maxWords) return undefined;
  return openEnd.test(text)
    ? { whole: words.slice(0, -1), begun: words.at(-1) ?? "" }
    : { whole: words, begun: "" };
}
