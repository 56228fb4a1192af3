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
  nameKey,
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

/** What adjectives and verbs end with; nouns that end so are taken for them. */
const noNoun = {
  de: /(?:lich|ig|isch|los|bar|sam|haft)(?:e[rsnm]?)?$/,
  fr: /(?:ée?|eux|euse|if|ive|able|ible|ant|ante|ent|ente|al|ale|el|elle|ique|ien|ienne|er|ere|ir)$/,
  es: /(?:ble|nte|al|il|or|ora|oso|osa|ivo|iva|ico|ica|ado|ada|ido|ida|ar|er|ir)$/,
};
/** Forms that adjectives have and nouns lack: those of the other gender, and adverbs. */
const otherForms = {
  fr: (word: string) => (word.endsWith("e") ? [word.slice(0, -1), `${word}ment`] : [`${word}e`]),
  es: (word: string) => [
    word.endsWith("o") ? word.replace(/o$/, "a") : word.replace(/a$/, "o"),
    `${word.replace(/o$/, "a")}mente`,
  ],
};

/** Whether a word of another language than the catalog's is a noun. Of doubtful ones it is none. */
export function isForeignNoun(code: keyof typeof formOf, text: string): boolean {
  const { isOrdinaryWord = () => false, useWords, attributeWords } = languageOf[code];
  const word = nameKey(text);
  if (!isOrdinaryWord(word) || useWords.has(word) || attributeWords.has(word)) return false;
  const others = code === "de" ? [] : otherForms[code](word).filter((form) => form !== word);
  return !noNoun[code].test(text) && !others.some(isOrdinaryWord);
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
