import { type LanguageCode, languageCodes } from "@product-search/core/domain/feed-values.ts";
import type { WordsByLanguage } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import colours from "@product-search/core/domain/query-understanding/words/colours.json" with {
  type: "json",
};
import materials from "@product-search/core/domain/query-understanding/words/materials.json" with {
  type: "json",
};
import negation from "@product-search/core/domain/query-understanding/words/negation.json" with {
  type: "json",
};
import price from "@product-search/core/domain/query-understanding/words/price.json" with { type: "json" };
import grammar from "../words/foreign-grammar.json" with { type: "json" };
import kinds from "../words/foreign-kinds.json" with { type: "json" };
import properties from "../words/foreign-properties.json" with { type: "json" };

export type Language = Exclude<LanguageCode, "en">;
export const languages = languageCodes.filter((code): code is Language => code !== "en");

/** The English translation of a foreign word. */
export interface Entry {
  english: string;
  /** A kind is not translated if the catalog itself uses the foreign word. */
  role: "grammar" | "kind" | "property";
}

export type Dictionary = ReadonlyMap<string, Entry>;

/** All English words that the dictionaries translate to. */
export const englishWords: ReadonlySet<string> = new Set([
  ...[...kinds, ...properties].flatMap(({ en }) => en.split(" ")),
  ...[...colours, ...materials].flatMap(({ en }) => en),
]);

/** The tables of prices and negations read these words without translation. */
const { below, atMost, orLess, spokenOrLess, above, atLeast, orMore, between, about } = price;
const readElsewhere: readonly WordsByLanguage[] = [
  ...[below, atMost, orLess, spokenOrLess, above, atLeast, orMore, between, about],
  ...[
    negation.without,
    negation.not,
    negation.no,
    negation.neither,
    negation.or,
    { fr: negation.notProperty },
  ],
];

export const dictionaries: Readonly<Record<Language, Dictionary>> = {
  de: dictionaryOf("de"),
  fr: dictionaryOf("fr"),
  es: dictionaryOf("es"),
};

/** For each language and each first word of an entry, the number of words of the longest entry. */
const longestEntries: Readonly<Record<Language, ReadonlyMap<string, number>>> = {
  de: longestEntriesOf(dictionaries.de),
  fr: longestEntriesOf(dictionaries.fr),
  es: longestEntriesOf(dictionaries.es),
};

/** Words, marks and commas of a text, in order. French articles are separated from their nouns. */
export function tokensOf(text: string): string[] {
  return text
    .replace(/(?<![\p{L}])([dljmnst]|qu)'(?=\p{L})/gu, "$1' ")
    .split(/\s+/u)
    .flatMap(
      (word) =>
        word
          .match(/^(.*?)(,?)$/u)
          ?.slice(1)
          .filter((part) => part !== "") ?? [],
    );
}

export interface Found {
  entry: Entry;
  /** The number of tokens of the entry. */
  length: number;
}

/** The longest entry that begins at this token. */
export function lookUp(
  dictionary: Dictionary,
  words: readonly string[],
  at: number,
  language: Language,
): Found | undefined {
  const longest = Math.max(
    ...formsOf(words[at] ?? "", language).map((form) => longestEntries[language].get(form) ?? 0),
  );
  for (let length = Math.min(longest, words.length - at); length > 0; length--) {
    for (const form of formsOfPhrase(words.slice(at, at + length), language)) {
      const entry = dictionary.get(form);
      if (entry !== undefined) return { entry, length };
    }
  }
  const compound = language === "de" ? splitCompound(dictionary, words[at] ?? "") : undefined;
  return compound && { entry: compound, length: 1 };
}

const endings: Readonly<Record<Language, readonly (readonly [ending: RegExp, base: string])[]>> = {
  de: [/en$/u, /er$/u, /es$/u, /em$/u, /e$/u, /n$/u, /s$/u].map((ending) => [ending, ""] as const),
  fr: [
    ...[/s$/u, /x$/u, /es$/u, /e$/u].map((ending) => [ending, ""] as const),
    [/nes?$/u, ""],
    [/ères?$/u, "er"],
    [/aux$/u, "al"],
  ],
  es: [...[/s$/u, /es$/u].map((ending) => [ending, ""] as const), [/as?$/u, "o"], [/os$/u, "o"]],
};

/** Usually only the noun is inflected, and it is the first or the last word: "lampes de bureau", "pas chères". */
function formsOfPhrase(words: readonly string[], language: Language): string[] {
  const [first = "", ...others] = words;
  const last = others.at(-1);
  const inner = others.slice(0, -1);
  const starts = formsOf(first, language);
  if (last === undefined) return starts;
  return starts.flatMap((start) => formsOf(last, language).map((end) => [start, ...inner, end].join(" ")));
}

/** The word itself and its possible base forms. */
function formsOf(word: string, language: Language): string[] {
  const stems = endings[language].map(([ending, base]) => word.replace(ending, base));
  return [word, ...stems.filter((stem) => stem !== word && stem.length > 2)];
}

const shortestPart = 3;

/** "Ledertasche" → "leather bag": two known words, possibly with a linking letter. */
function splitCompound(dictionary: Dictionary, word: string): Entry | undefined {
  for (let at = shortestPart; at <= word.length - shortestPart; at++) {
    const end = dictionary.get(word.slice(at));
    if (end?.role !== "kind") continue;
    const beginning = [word.slice(0, at), word.slice(0, at).replace(/(?:s|n|en)$/u, "")]
      .map((part) => dictionary.get(part))
      .find((entry) => entry !== undefined && entry.role !== "grammar");
    if (beginning !== undefined) return { english: `${beginning.english} ${end.english}`, role: "kind" };
  }
  return undefined;
}

function dictionaryOf(language: Language): Dictionary {
  const entries: [string, Entry][] = [
    ...readElsewhere.flatMap((list) =>
      (list[language] ?? []).map((word): [string, Entry] => [word, { english: word, role: "grammar" }]),
    ),
    ...properties.flatMap((row) =>
      row[language].map((word): [string, Entry] => [word, { english: row.en, role: "property" }]),
    ),
    ...[...colours, ...materials].flatMap((row) =>
      row[language].map((word): [string, Entry] => [word, { english: row.en[0] ?? word, role: "property" }]),
    ),
    ...kinds.flatMap((row) =>
      row[language].map((word): [string, Entry] => [word, { english: row.en, role: "kind" }]),
    ),
    ...Object.entries(grammar[language]).flatMap(([english, words]) =>
      words.map((word): [string, Entry] => [word, { english, role: "grammar" }]),
    ),
  ];
  return new Map(entries.map(([word, entry]) => [tokensOf(word).join(" "), entry]));
}

function longestEntriesOf(dictionary: Dictionary): Map<string, number> {
  const longest = new Map<string, number>();
  for (const entry of dictionary.keys()) {
    const words = entry.split(" ");
    const [first = ""] = words;
    longest.set(first, Math.max(words.length, longest.get(first) ?? 0));
  }
  return longest;
}
