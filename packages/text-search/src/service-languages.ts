import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type LanguageCode, languageCodes } from "@product-search/core/domain/languages/languages.ts";
import {
  createDictionary,
  english,
  includedLanguages,
  isInFilter,
  type Language,
  type Languages,
} from "@product-search/text-index";

const file = (name: string) => readFileSync(new URL(name, import.meta.resolve("dictionary-en")), "utf8");

/** English with a dictionary, which is read when a query first has a word that the catalog does not have. */
export const serviceLanguage: Language = {
  ...english,
  dictionary: createDictionary(() => ({ aff: file("index.aff"), dic: file("index.dic") })),
};

const withoutPlural = (word: string) => word.replace(/(?<=[aeiouy])s$/, "");
/** The form of an ordinary word in `data/`. Of German there are only the nouns in the singular. */
export const formOf = { de: includedLanguages.de.termOf, es: withoutPlural, fr: withoutPlural };

/** With its ordinary words, which are read when a query first has a word that the catalog does not have. */
function withOrdinaryWords(code: keyof typeof formOf): Language {
  let filter: Uint8Array | undefined;
  const file = `@product-search/text-search/words-${code}.bin`;
  const isOrdinaryWord = (word: string) => {
    filter ??= readFileSync(createRequire(import.meta.url).resolve(file));
    return isInFilter(filter, formOf[code](word));
  };
  return { ...includedLanguages[code], isOrdinaryWord };
}

const languageOf: Readonly<Record<LanguageCode, Language>> = {
  ...includedLanguages,
  en: serviceLanguage,
  de: withOrdinaryWords("de"),
  fr: withOrdinaryWords("fr"),
  es: withOrdinaryWords("es"),
};

/** The languages of a catalog, with what is included for each. */
export function serviceLanguages([first, ...others]: readonly [LanguageCode, ...LanguageCode[]]): Languages {
  return [languageOf[first], ...others.map((code) => languageOf[code])];
}

/** Distinguishes indexes by their languages, whose order matters; empty for English alone, as before there were others. */
export function languagesIdentity(languages: Languages): string {
  const codes = languages.map(({ code }) => code).join(",");
  return codes === english.code ? "" : ` ${codes}`;
}

/** The languages of an index with this identity; undefined if this release does not know one of them. */
export function languagesOfIdentity(identity: string): Languages | undefined {
  return languagesOfCodes(identity === "" ? [english.code] : identity.trimStart().split(","));
}

/** Undefined if this release does not know one of them. */
export function languagesOfCodes(codes: readonly string[]): Languages | undefined {
  const known = codes.map((code) => languageCodes.find((one) => one === code));
  const [first, ...others] = known.filter((code) => code !== undefined);
  return first === undefined || known.includes(undefined) ? undefined : serviceLanguages([first, ...others]);
}
