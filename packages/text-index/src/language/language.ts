import { termOf } from "../text/term.ts";
import { type Dictionary, noDictionary } from "./dictionary.ts";
import words from "./english.json" with { type: "json" };
import { compileSynonyms, lazySynonyms, parseSynonyms, type SynonymTable } from "./synonyms.ts";
import { createWordLists, type WordFile, type WordLists } from "./word-lists.ts";

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
