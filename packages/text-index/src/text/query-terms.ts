import type { Language } from "../language/language.ts";
import { termOf } from "./term.ts";
import { tokenize } from "./tokenize.ts";

/** The terms of a document that has all the words of a text; in English without a language. */
export function queryTerms(text: string, language?: Pick<Language, "termOf" | "prepare">): string[] {
  if (language === undefined) return tokenize(text, "query").map(termOf);
  return tokenize(language.prepare?.(text) ?? text, "query").map(language.termOf);
}
