import { termOf } from "./term.ts";
import { tokenize } from "./tokenize.ts";

/** The terms that a document with all the words of a text has. */
export function queryTerms(text: string): string[] {
  return tokenize(text, "query").map(termOf);
}
