import { StringCache } from "../bounded-cache.ts";
import { fold, termOf } from "../text/tokenize.ts";
import { type Dictionary, noDictionary } from "./dictionary.ts";
import words from "./english.json" with { type: "json" };
import { compileSynonyms, lazySynonyms, parseSynonyms, type SynonymTable } from "./synonyms.ts";

/** How text of a language becomes terms, and the language data for reading a query. */
export interface Language extends WordLists {
  /** ISO 639-1. */
  readonly code: string;
  /** The term under which a folded word is indexed. Words with the same term find each other. */
  readonly termOf: (word: string) => string;
  /** Changes a text before its words are found. */
  readonly prepare?: (text: string) => string;
  readonly names: NameRules;
  /** For languages that write compounds as one word. */
  readonly compounds?: CompoundRules;
  /** Letters that few other languages have. */
  readonly letters: RegExp;
  readonly dictionary: Dictionary;
  /** Of a language without a dictionary: whether it has the word, which is then no misspelling. Default: unknown. */
  readonly isOrdinaryWord?: (word: string) => boolean;
  readonly synonyms: SynonymTable;
  /** What a shop has instead of a thing that none of its names has: rugs for a carpet. Only the included ones. */
  readonly nearSynonyms: SynonymTable;
  /** The included rules of `synonyms`, one per line. */
  readonly synonymRules: string;
}

/** The first one is that of documents without a language. */
export type Languages = readonly [Language, ...Language[]];

/** How names of products say what the thing is. */
export interface NameRules {
  /** The words after these describe the thing and do not name it: "Brass Desk Lamp with Dimmer, 2 Pack". */
  readonly qualifiers: RegExp;
  /** Whether the thing comes before its descriptions: "lampe rouge". */
  readonly thingFirst: boolean;
}

type Rules = Pick<Language, "code" | "termOf" | "names" | "letters" | "prepare" | "compounds">;

/** A language from its file, without a dictionary, which callers may add. */
export function createLanguage(file: WordFile, rules: Rules): Language {
  const synonymRules = file.synonyms.join("\n");
  const compiled = (lines: string) => lazySynonyms(() => compileSynonyms(parseSynonyms(lines), rules.termOf));
  return {
    ...createWordLists(file, rules.termOf),
    ...rules,
    dictionary: noDictionary,
    synonyms: compiled(synonymRules),
    nearSynonyms: compiled(file.nearSynonyms.join("\n")),
    synonymRules,
  };
}

export const english: Language = createLanguage(words, {
  code: "en",
  termOf,
  names: { qualifiers: /[,(|]| [-–—] | w\/|(?<!\d) (?:with|for|in) /i, thingFirst: false },
  // None: this never matches.
  letters: /[^\s\S]/,
});

/** How a language joins words into one: "Schreibtisch" and "Lampe" are "Schreibtischlampe". */
interface CompoundRules {
  /** What may be between the parts; the empty string is one of them. */
  readonly links: readonly string[];
  /** First parts that are rarely words of their own: "Steh" in "Stehlampe". */
  readonly firstParts: ReadonlySet<string>;
  /** Terms that are endings as well ("praktisch" has no "Tisch"): before them, the first part must be a known word. */
  readonly doubtfulHeads: ReadonlySet<string>;
  /** Terms of compounds that are not what their last part says: a "Handschuh" is no "Schuh". */
  readonly opaque: readonly string[];
}

/** The words of a language that have a special role in queries. */
interface WordLists {
  /** Words that connect others. They affect the rank but are not required, unless there are no other words. */
  readonly functionWords: ReadonlySet<string>;
  /** The words after these describe the thing: "battery for a drill", "vanity with drawers". */
  readonly linkingWords: ReadonlySet<string>;
  /** Words that say little about the thing. They are dropped first, and no document matches only by them. */
  readonly lightWords: ReadonlySet<string>;
  /** Colours, materials, sizes, uses: they describe a thing, wherever they are in the query. */
  readonly attributeWords: ReadonlySet<string>;
  /** Those of them that say where, when and by whom a thing is used: "kitchen", "travel", "men". */
  readonly useWords: ReadonlySet<string>;
  /** Those of them that make another thing of the one beside them: "dog" in "dog bed". */
  readonly definingWords: ReadonlySet<string>;
  /** Words that make a property of the noun before them: "free" in "sugar free". */
  readonly propertyEnds: ReadonlySet<string>;
  /** The terms of what shops sell, whatever the form of the word. */
  readonly thingTerms: ReadonlySet<string>;
  /** The same as written: they also show in which language a text is. */
  readonly thingWords: ReadonlySet<string>;
}

/** A line of words, or lines of words that have each of the endings of that name. */
type Entry = string | { endings: string; words: readonly string[] };

/** The file of a language. */
interface WordFile {
  endings: Readonly<Record<string, readonly string[] | undefined>>;
  functionWords: readonly Entry[];
  linkingWords: readonly Entry[];
  lightWords: readonly Entry[];
  colours: readonly Entry[];
  materials: readonly Entry[];
  shapes: readonly Entry[];
  people: readonly Entry[];
  animals: readonly Entry[];
  places: readonly Entry[];
  things: readonly Entry[];
  propertyEnds?: readonly Entry[];
  /**
   * Words on one line are synonyms of each other. A word before an arrow is narrower or looser: it also finds the words
   * after the arrow, but not the other way round. The format is that of `pnpm api synonyms import`.
   */
  synonyms: readonly string[];
  /** In the same format: what a shop has instead of a thing that none of its names has. */
  nearSynonyms: readonly string[];
}

function createWordLists(file: WordFile, termOf: (word: string) => string): WordLists {
  const words = (...lists: readonly (readonly Entry[])[]): Set<string> =>
    new Set(
      lists.flat().flatMap((entry) => {
        if (typeof entry === "string") return foldedWords(entry);
        return withEndings(entry.words.join(" "), file.endings[entry.endings] ?? []);
      }),
    );
  const { colours, materials, shapes, people, animals, places } = file;
  const thingWords = words(file.things);
  return {
    functionWords: words(file.functionWords),
    linkingWords: words(file.linkingWords),
    lightWords: words(file.lightWords),
    attributeWords: words(colours, materials, shapes, people, animals, places),
    useWords: words(people, places),
    definingWords: words(animals),
    propertyEnds: words(file.propertyEnds ?? []),
    thingTerms: new Set(Array.from(thingWords, termOf)),
    thingWords,
  };
}

/** The different words of a text, as documents and queries have them. */
export function foldedWords(text: string): string[] {
  return fold(text).trim().split(/\s+/);
}

/** The words of a text with each of these endings. */
function withEndings(text: string, endings: readonly string[]): string[] {
  return foldedWords(text).flatMap((word) => endings.map((ending) => word + ending));
}

/** A map from each spelling to its word, from lines such as `kg: kilo kilogramm`. */
export function spellings(lines: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(lines).flatMap(([word, others]) => foldedWords(others).map((other) => [other, word])),
  );
}

/** The term of a word: as spelled differently, or its stem. Stemming a word takes much longer than looking it up. */
export function createTermOf(
  spelled: ReadonlyMap<string, string>,
  stem: (word: string) => string,
): (word: string) => string {
  const terms = new StringCache<string>(cachedTerms);
  return (word) => terms.get(word, () => spelled.get(word) ?? stem(word));
}

const cachedTerms = 2 ** 15;

/** Distinguishes words of a language in the vocabulary; empty for the first language. */
export function languageTag(languages: readonly Language[], language: Language): string {
  return languages[0]?.code === language.code ? "" : language.code;
}
