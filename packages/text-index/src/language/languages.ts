import { french } from "./french.ts";
import { german } from "./german.ts";
import { english, type Language } from "./language.ts";
import { spanish } from "./spanish.ts";

/** The included languages. */
export const includedLanguages = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
} as const satisfies Readonly<Record<string, Language>>;
