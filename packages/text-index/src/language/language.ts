import { type Dictionary, noDictionary } from "./dictionary.ts";
import { englishLists } from "./english-lists.ts";
import { englishSynonyms } from "./english-synonyms.ts";
import { compileSynonyms, lazySynonyms, parseSynonyms, type SynonymTable } from "./synonyms.ts";
import type { WordLists } from "./word-lists.ts";

/** What reading a query needs to know of a language. */
export interface Language extends WordLists {
  readonly dictionary: Dictionary;
  readonly synonyms: SynonymTable;
}

/** English as it is shipped, without a dictionary: whoever has one adds it. */
export const english: Language = {
  ...englishLists,
  dictionary: noDictionary,
  synonyms: lazySynonyms(() => compileSynonyms(parseSynonyms(englishSynonyms))),
};
