import { type Language, openIndex, type Snapshot, type TextIndex } from "@product-search/text-index";
import { ApiError } from "../../errors.ts";
import type { TextSearch } from "../../ports/text-search.ts";
import { createGcPressure } from "./gc-pressure.ts";
import { serviceLanguage } from "./service-language.ts";

export interface NewestIndexSettings {
  /** Called once; its listener gets the newest snapshot of the index and every later one. */
  readonly subscribe: (receive: (snapshot: Snapshot) => void) => void;
  /** Default: English with a dictionary. */
  readonly language?: Language | undefined;
}

/** The newest published snapshot of the index, opened on this thread. */
export function createNewestIndex({
  subscribe,
  language = serviceLanguage,
}: NewestIndexSettings): () => TextIndex {
  let current: TextIndex | undefined;
  const weigh = createGcPressure();
  subscribe((snapshot) => {
    weigh(snapshot);
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
