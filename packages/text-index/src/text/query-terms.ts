import { termOf } from "./term.ts";
import { tokenize } from "./tokenize.ts";

/** The terms of a document that has all the words of a text. */
export function queryTerms(text: string): string[] {
  return tokenize(text, "query").map(termOf);
}
