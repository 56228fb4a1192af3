import { readFileSync } from "node:fs";
import { type LanguageCode, languageCodes } from "@product-search/core/domain/feed-values.ts";
import {
  createDictionary,
  english,
  includedLanguages,
  type Language,
  type Languages,
} from "@product-search/text-index";

const file = (name: string) => readFileSync(new URL(name, import.meta.resolve("dictionary-en")), "utf8");

/** English with a dictionary, which is read when a query first has a word that the catalog does not have. */
export const serviceLanguage: Language = {
  ...english,
  dictionary: createDictionary(() => ({ aff: file("index.aff"), dic: file("index.dic") })),
};

/** The languages of a catalog, with what is included for each. */
export function serviceLanguages([first, ...others]: readonly [LanguageCode, ...LanguageCode[]]): Languages {
  const languageOf = (code: LanguageCode) => (code === "en" ? serviceLanguage : includedLanguages[code]);
  return [languageOf(first), ...others.map(languageOf)];
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
