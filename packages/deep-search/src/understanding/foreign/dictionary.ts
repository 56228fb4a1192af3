import {
  colours,
  type ForeignCode,
  foreignCodes,
  foreignWords,
  materials,
  negation,
  phrasesOf,
  price,
} from "@product-search/core/domain/languages/languages.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";

/** The English translation of a foreign word. */
export interface Entry {
  english: string;
  /** A kind is not translated if the catalog itself uses the foreign word. */
  role: "grammar" | "kind" | "property";
}

export type Dictionary = ReadonlyMap<string, Entry>;

/** All English words that the dictionaries translate to. */
export const englishWords: ReadonlySet<string> = new Set([
  ...Object.values(foreignWords)
    .flatMap(({ kinds, properties }) => [...Object.keys(kinds), ...Object.keys(properties)])
    .flatMap((english) => english.split(" ")),
  ...[...colours, ...materials].flatMap(({ en }) => en),
]);

/** The tables of prices and negations read these words without translation. */
const { below, atMost, orLess, spokenOrLess, above, atLeast, orMore, between, about } = price;
const readElsewhere = [
  ...[below, atMost, orLess, spokenOrLess, above, atLeast, orMore, between, about],
  ...[negation.without, negation.not, negation.no, negation.neither, negation.or, negation.notProperty],
];

export const dictionaries: Readonly<Record<ForeignCode, Dictionary>> = recordOf(foreignCodes, dictionaryOf);

/** For each language and each first word of an entry, the number of words of the longest entry. */
const longestEntries: Readonly<Record<ForeignCode, ReadonlyMap<string, number>>> = recordOf(
  foreignCodes,
  (code) => longestEntriesOf(dictionaries[code]),
);

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
  language: ForeignCode,
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
  const compound = compoundOf(words[at] ?? "", language);
  return compound && { entry: compound, length: 1 };
}

function compoundOf(word: string, language: ForeignCode): Entry | undefined {
  return foreignWords[language].compounds ? splitCompound(dictionaries[language], word) : undefined;
}

export function isCompound(word: string, language: ForeignCode): boolean {
  return compoundOf(word, language) !== undefined;
}

const endings = recordOf(foreignCodes, (code) =>
  foreignWords[code].endings.map(([ending, base = ""]) => [new RegExp(`${ending}$`, "u"), base] as const),
);

/** Usually only the noun is inflected, and it is the first or the last word: "lampes de bureau", "pas chères". */
function formsOfPhrase(words: readonly string[], language: ForeignCode): string[] {
  const [first = "", ...others] = words;
  const last = others.at(-1);
  const inner = others.slice(0, -1);
  const starts = formsOf(first, language);
  if (last === undefined) return starts;
  return starts.flatMap((start) => formsOf(last, language).map((end) => [start, ...inner, end].join(" ")));
}

/** The word itself and its possible base forms. */
function formsOf(word: string, language: ForeignCode): string[] {
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

function dictionaryOf(language: ForeignCode): Dictionary {
  const { properties, kinds, grammar } = foreignWords[language];
  const entries: [string, Entry][] = [
    ...readElsewhere.flatMap((list) =>
      list[language].map((word): [string, Entry] => [word, { english: word, role: "grammar" }]),
    ),
    ...entriesOf(properties, "property"),
    ...[...colours, ...materials].flatMap((row) =>
      row[language].map((word): [string, Entry] => [word, { english: row.en[0] ?? word, role: "property" }]),
    ),
    ...entriesOf(kinds, "kind"),
    ...entriesOf(grammar, "grammar"),
  ];
  return new Map(entries.map(([word, entry]) => [tokensOf(word).join(" "), entry]));
}

function entriesOf(
  words: Readonly<Record<string, readonly string[] | undefined>>,
  role: Entry["role"],
): [string, Entry][] {
  return Object.entries(words).flatMap(([english, lines]) =>
    phrasesOf(lines).map((word): [string, Entry] => [word, { english, role }]),
  );
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
