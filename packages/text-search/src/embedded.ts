import type { SuggestionQuery, TextSearch, TextSuggestions } from "@product-search/core/ports/text-search.ts";
import type { TextIndex } from "@product-search/text-index";
import { createNewestIndex, type NewestIndexSettings, namesOf } from "./newest-index.ts";
import { sourceCode } from "./to-index-document.ts";
import { toSearchQuery, toTextHits } from "./to-search-query.ts";

/** Searches the published index on this thread: all threads share one copy, so no call to another thread is needed. */
export function createEmbeddedTextSearch(settings: NewestIndexSettings): TextSearch {
  const index = createNewestIndex(settings);
  return {
    search: async (query, signal) => {
      signal.throwIfAborted();
      return toTextHits(query, index().search(toSearchQuery(query)));
    },
    suggest: async (query, signal) => {
      signal.throwIfAborted();
      return suggest(index(), query);
    },
    ...namesOf(index),
    wordFrequency: async (word) => index().vocabulary.frequency(word),
  };
}

function suggest(
  index: TextIndex,
  { text, source, queryLimit, nameLimit, productLimit }: SuggestionQuery,
): TextSuggestions {
  const { queries, brands, categories, ids } = index.suggest({
    text,
    source: sourceCode(source),
    queries: queryLimit,
    names: nameLimit,
    documents: productLimit,
  });
  return { queries: [...queries], brands: [...brands], categories: [...categories], rowIds: [...ids] };
}
