import {
  type Language,
  openIndex,
  type Snapshot,
  type SynonymTable,
  type TextIndex,
} from "@product-search/text-index";
import { ApiError } from "../../errors.ts";
import type { TextSearch } from "../../ports/text-search.ts";
import { createGcPressure } from "./gc-pressure.ts";
import { serviceLanguage } from "./service-language.ts";

export interface NewestIndexSettings {
  /** Called once; its listener gets the newest snapshot of the index and every later one. */
  readonly subscribe: (receive: (snapshot: Snapshot) => void) => void;
  /** Default: English with a dictionary. */
  readonly language?: Language | undefined;
  /** Called once; its listener gets synonyms that replace those of the language. */
  readonly synonyms?: ((receive: (synonyms: SynonymTable) => void) => void) | undefined;
}

/** The newest published snapshot of the index, opened on this thread. */
export function createNewestIndex({
  subscribe,
  language: initialLanguage = serviceLanguage,
  synonyms: subscribeToSynonyms,
}: NewestIndexSettings): () => TextIndex {
  let current: TextIndex | undefined;
  let newest: Snapshot | undefined;
  let language = initialLanguage;
  const weigh = createGcPressure();
  subscribeToSynonyms?.((synonyms) => {
    language = { ...language, synonyms };
    // The same snapshot with its caches: nothing is copied or rebuilt.
    if (newest !== undefined) current = openIndex(newest, current, language);
  });
  subscribe((snapshot) => {
    weigh(snapshot);
    newest = snapshot;
    current = openIndex(snapshot, current, language);
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
): Pick<TextSearch, "findBrands" | "brandsNamedIn" | "categoriesNamedIn" | "storesNamedIn"> {
  const names = (found: ReadonlyArray<{ name: string }>) => found.map(({ name }) => name);
  return {
    findBrands: async (text, limit) => names(index().vocabulary.findBrands(text, limit)),
    brandsNamedIn: async (text) => names(index().vocabulary.brandsNamedIn(text)),
    categoriesNamedIn: async (text) => names(index().vocabulary.categoriesNamedIn(text)),
    storesNamedIn: async (text) => names(index().vocabulary.storesNamedIn(text)),
  };
}
