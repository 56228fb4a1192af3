import { filterTerms, type SearchQuery, type TextIndex } from "@product-search/text-index";
import type { SuggestionQuery, TextSearch, TextSuggestions } from "../../../ports/text-search.ts";
import type { Cluster } from "../../opensearch/cluster.ts";
import { toApiError } from "../../opensearch/cluster-error.ts";
import { createNewestIndex, type NewestIndexSettings, namesOf } from "../newest-index.ts";
import { sourceCode } from "../to-index-document.ts";
import { toSearchQuery, toTextHits } from "../to-search-query.ts";
import { hasAnyTerm } from "./compile-step.ts";
import { runSearches } from "./run-searches.ts";
import { searchCluster } from "./search.ts";

export interface OpenSearchTextSearchSettings extends NewestIndexSettings {
  readonly cluster: Cluster;
  /** The alias of the index that `keepTextIndex` writes. */
  readonly index: string;
}

/**
 * Searches an OpenSearch cluster. The subscribed snapshots contain the catalog's vocabulary: queries are read on this
 * thread, and only terms are sent.
 */
export function createOpenSearchTextSearch({
  cluster,
  index,
  ...settings
}: OpenSearchTextSearchSettings): TextSearch {
  const vocabulary = createNewestIndex(settings);
  const target = { cluster, index };
  const search = async (query: SearchQuery, signal?: AbortSignal) => {
    try {
      return await searchCluster(target, vocabulary(), query, signal);
    } catch (error) {
      throw toApiError(error);
    }
  };
  return {
    search: async (query, signal) => {
      signal.throwIfAborted();
      return toTextHits(query, await search(toSearchQuery(query), signal));
    },
    suggest: async (query, signal) => {
      signal.throwIfAborted();
      return suggest(vocabulary(), (found) => search(found, signal), query);
    },
    ...namesOf(vocabulary),
    wordFrequency: async (word) => {
      const bodies = filterTerms(vocabulary(), word).map((terms) => ({ size: 0, query: hasAnyTerm(terms) }));
      if (bodies.length === 0) return 0;
      const counts = await runSearches(target, bodies, { preference: "words" }).catch((error: unknown) => {
        throw toApiError(error);
      });
      return Math.min(...counts.map(({ total }) => total));
    },
  };
}

/** Names come from the vocabulary, products from a search. */
async function suggest(
  vocabulary: TextIndex,
  search: (query: SearchQuery) => Promise<{ ids: number[] }>,
  { text, source, queryLimit, nameLimit, productLimit }: SuggestionQuery,
): Promise<TextSuggestions> {
  const { queries, brands, categories } = vocabulary.suggest({
    text,
    source: sourceCode(source),
    queries: queryLimit,
    names: nameLimit,
    documents: 0,
  });
  const query = {
    text: queries[0] ?? text,
    filters: { source: sourceCode(source) },
    everyWord: queries.length > 0,
    offset: 0,
    limit: productLimit,
  };
  // As in the text index: synonyms only if the words as written find nothing.
  let ids: number[] = [];
  if (text.trim() !== "") ({ ids } = await search({ ...query, asWritten: true }));
  if (text.trim() !== "" && ids.length === 0) ({ ids } = await search(query));
  return { queries: [...queries], brands: [...brands], categories: [...categories], rowIds: ids };
}
