import { giveWay } from "@product-search/core/mechanisms/fair-queue.ts";
import type { SuggestionQuery, TextSearch, TextSuggestions } from "@product-search/core/ports/text-search.ts";
import type { TextIndex } from "@product-search/text-index";
import { createNewestIndex, type NewestIndexSettings, namesOf } from "./newest-index.ts";
import { sourceCode } from "./to-index-document.ts";
import { toSearchQuery, toTextHits } from "./to-search-query.ts";

/**
 * Searches the published index on this thread: all threads share one copy, so no call to another thread is needed. Before each
 * search, requests of others may have their turn.
 */
export function createEmbeddedTextSearch(settings: NewestIndexSettings): TextSearch {
  const index = createNewestIndex(settings);
  const names = namesOf(index);
  return {
    search: (query, signal) => inTurn(() => toTextHits(query, index().search(toSearchQuery(query))), signal),
    suggest: (query, signal) => inTurn(() => suggest(index(), query), signal),
    findBrands: (text, limit) => inTurn(() => names.findBrands(text, limit)),
    brandsNamedIn: (text) => inTurn(() => names.brandsNamedIn(text)),
    categoriesNamedIn: (text) => inTurn(() => names.categoriesNamedIn(text)),
    storesNamedIn: (text) => inTurn(() => names.storesNamedIn(text)),
    attributesNamedIn: (text) => inTurn(() => names.attributesNamedIn(text)),
    wordFrequency: (word) => inTurn(() => index().vocabulary.frequency(word)),
  };
}

async function inTurn<Result>(work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
  signal?.throwIfAborted();
  const turn = giveWay();
  if (turn !== undefined) await turn;
  return work();
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
