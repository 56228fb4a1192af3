import { ApiError } from "@product-search/core/errors.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import {
  type Language,
  type Languages,
  openIndex,
  type Snapshot,
  type SynonymTable,
  type TextIndex,
} from "@product-search/text-index";
import { createGcPressure } from "./gc-pressure.ts";
import { serviceLanguage } from "./service-languages.ts";
import { sourceCode } from "./to-index-document.ts";

/** The synonyms that apply in a language. */
export type SynonymsOf = (language: Language) => SynonymTable;

export interface NewestIndexSettings {
  /** Called once; its listener gets the newest snapshot of the index and every later one. */
  readonly subscribe: (receive: (snapshot: Snapshot) => void) => void;
  /** Those with which the index is built. Default: English with a dictionary. */
  readonly languages?: Languages | undefined;
  /** Called once; its listener gets synonyms that replace those of the languages. */
  readonly synonyms?: ((receive: (synonymsOf: SynonymsOf) => void) => void) | undefined;
}

/** The newest published snapshot of the index, opened on this thread. */
export function createNewestIndex({
  subscribe,
  languages: given = [serviceLanguage],
  synonyms: subscribeToSynonyms,
}: NewestIndexSettings): () => TextIndex {
  let current: TextIndex | undefined;
  let newest: Snapshot | undefined;
  let languages = given;
  const weigh = createGcPressure();
  subscribeToSynonyms?.((synonymsOf) => {
    const withSynonyms = (language: Language) => ({ ...language, synonyms: synonymsOf(language) });
    const [first, ...others] = given;
    languages = [withSynonyms(first), ...others.map(withSynonyms)];
    // The same snapshot with its caches: nothing is copied or rebuilt.
    if (newest !== undefined) current = openIndex(newest, current, languages);
  });
  subscribe((snapshot) => {
    weigh(snapshot);
    newest = snapshot;
    current = openIndex(snapshot, current, languages);
  });
  return () => {
    if (current !== undefined) return current;
    throw new ApiError("unavailable", "The search index is not ready yet. Try again in a moment.", {
      retryAfterSeconds: 2,
    });
  };
}

/** Look-ups in the words of the index, without a search. */
export function namesOf(
  index: () => TextIndex,
): Pick<
  TextSearch,
  "findBrands" | "brandsNamedIn" | "categoriesNamedIn" | "storesNamedIn" | "attributesNamedIn" | "isNumeric"
> {
  const names = (entries: ReadonlyArray<{ name: string }>) => entries.map(({ name }) => name);
  return {
    findBrands: async (text, limit) => names(index().vocabulary.findBrands(text, limit)),
    brandsNamedIn: async (text) => names(index().vocabulary.brandsNamedIn(text)),
    categoriesNamedIn: async (text) => names(index().vocabulary.categoriesNamedIn(text)),
    storesNamedIn: async (text) => names(index().vocabulary.storesNamedIn(text)),
    attributesNamedIn: async (text) => index().vocabulary.attributesNamedIn(text),
    isNumeric: async (attribute, source) => index().vocabulary.isNumeric(attribute, sourceCode(source)),
  };
}
