import { recordOf } from "../record-of.ts";
import de from "./de.json" with { type: "json" };
import en from "./en.json" with { type: "json" };
import es from "./es.json" with { type: "json" };
import fr from "./fr.json" with { type: "json" };

/** The languages in which texts can be searched and answers are written, as in ISO 639-1. */
export const languageCodes = ["en", "de", "fr", "es"] as const;
export type LanguageCode = (typeof languageCodes)[number];
export type ForeignCode = Exclude<LanguageCode, "en">;
export const foreignCodes = languageCodes.filter((code): code is ForeignCode => code !== "en");

/** Words or phrases; one string may have several, separated by commas. */
type Lines = readonly string[];
type Words = readonly string[];
type WordsByLanguage = Readonly<Record<LanguageCode | "others", Words>>;
type Lists<Table> = { readonly [Name in keyof Table]?: Lines };

/** What requests and answers need of a language beside English. A list that it has no words for may be left out. */
interface ForeignWords {
  /** The most frequent words that are rare in the other languages. */
  frequent: string;
  /** Function words, which are not searched for. */
  fillers: string;
  /** What an inflected word ends with, and what its base form has instead. */
  endings: readonly Lines[];
  /** Whether it writes compounds as one word, and adjectives before their nouns. */
  compounds?: boolean;
  /** Words that are also English, or of another language: they do not show the language of a text. */
  alsoEnglish: string;
  /** The same of words that are things in English. */
  englishThings: string;
  price: Lists<typeof en.price>;
  rating: Lists<typeof en.rating>;
  negation: Lists<typeof en.negation>;
  colours: Lists<typeof en.colours>;
  materials: Lists<typeof en.materials>;
  /** By their English translation, as the kinds of products and the words of the grammar. */
  properties: Lists<Record<string, Lines>>;
  kinds: Lists<Record<string, Lines>>;
  grammar: Lists<Record<string, Lines>>;
  answer: AnswerTexts;
}

/** All languages have the same texts: one that is missing in a file is a compile error. */
export type AnswerTexts = typeof en.answer;

/** Everything of a language is in its file, and what an index needs of it in that of text-index. */
export const foreignWords: Readonly<Record<ForeignCode, ForeignWords>> = { de, fr, es };
export const allWords: Readonly<Record<LanguageCode, Pick<ForeignWords, "frequent" | "answer">>> = {
  en,
  ...foreignWords,
};

/** How Italian, Dutch and Portuguese name the bounds of a price. */
const otherBounds: Lists<typeof en.price> = {
  below: ["meno di", "sotto", "sotto i", "onder", "onder de", "minder dan", "abaixo de"],
  atMost: ["fino a", "até"],
  above: ["più di", "oltre", "oltre i", "boven", "boven de", "meer dan", "mais de", "acima de"],
};

export const price = byLanguage(en.price, (words) => words.price, otherBounds);
export const rating = byLanguage(en.rating, (words) => words.rating);
export const negation = byLanguage(en.negation, (words) => words.negation);
export const colours = Object.values(byLanguage(en.colours, (words) => words.colours));
export const materials = Object.values(byLanguage(en.materials, (words) => words.materials));

export function phrasesOf(lines: Lines = []): string[] {
  return lines.flatMap((line) => line.split(", "));
}

function byLanguage<Name extends string>(
  english: Readonly<Record<Name, Lines>>,
  listsOf: (words: ForeignWords) => { readonly [One in Name]?: Lines },
  others: { readonly [One in Name]?: Lines } = {},
): Record<Name, WordsByLanguage> {
  return recordOf(Object.keys(english).filter(isName), (name) => ({
    en: phrasesOf(english[name]),
    ...recordOf(foreignCodes, (code) => phrasesOf(listsOf(foreignWords[code])[name])),
    others: phrasesOf(others[name]),
  }));
  function isName(text: string): text is Name {
    return text in english;
  }
}
