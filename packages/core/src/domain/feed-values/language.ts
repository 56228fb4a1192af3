/** The languages in which texts can be searched and answers are written, as in ISO 639-1. */
export const languageCodes = ["en", "de", "fr", "es"] as const;
export type LanguageCode = (typeof languageCodes)[number];

const languageTag = /^\s*([a-z]{2})(?:[-_][a-z0-9_-]*)?\s*$/i;

/** The language of a tag such as "de", "de-AT" or "en_US" (RFC 5646); undefined for anything else. */
export function parseLanguage(text: string): string | undefined {
  return languageTag.exec(text)?.[1]?.toLowerCase();
}
