import type { Language } from "./language.ts";

/** Distinguishes words of a language in the vocabulary; empty for the first language. */
export function languageTag(languages: readonly Language[], language: Language): string {
  return languages[0]?.code === language.code ? "" : language.code;
}
