import { type Dictionary, noDictionary } from "./dictionary.ts";
import { englishLists } from "./english-lists.ts";
import { englishSynonyms } from "./english-synonyms.ts";
import { compileSynonyms, lazySynonyms, parseSynonyms, type SynonymTable } from "./synonyms.ts";
import type { WordLists } from "./word-lists.ts";

/** The language data for reading a query. */
export interface Language extends WordLists {
  readonly dictionary: Dictionary;
  readonly synonyms: SynonymTable;
}

/** The included English data, without a dictionary, which callers may add. */
export const english: Language = {
  ...englishLists,
  dictionary: noDictionary,
  synonyms: lazySynonyms(() => compileSynonyms(parseSynonyms(englishSynonyms))),
};
