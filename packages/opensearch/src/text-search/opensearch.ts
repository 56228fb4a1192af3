import type { SuggestionQuery, TextSearch, TextSuggestions } from "@product-search/core/ports/text-search.ts";
import { filterTerms, type SearchQuery, type TextIndex } from "@product-search/text-index";
import {
  createNewestIndex,
  type NewestIndexSettings,
  namesOf,
} from "@product-search/text-search/newest-index.ts";
import {
  lastAvailability,
  sourceCode,
  toSearchQuery,
  toTextHits,
} from "@product-search/text-search/to-index.ts";
import { type Cluster, ClusterError, toApiError } from "../cluster/cluster.ts";
import { hasAnyTerm } from "./compile-query.ts";
import { runSearches } from "./run-searches.ts";
import { firstOfEachGroup, searchCluster } from "./search.ts";

export interface OpenSearchTextSearchSettings extends NewestIndexSettings {
  readonly cluster: Cluster;
  /** The alias of the index that `keepTextIndex` writes. */
  readonly index: string;
  /** How long all requests of a search may take together. Default: 15 s. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 15_000;

/**
 * Searches an OpenSearch cluster. The subscribed snapshots contain the catalog's vocabulary: queries are read on this
 * thread, and only terms are sent.
 */
export function createOpenSearchTextSearch({
  cluster,
  index,
  timeoutMs = usualTimeoutMs,
  ...settings
}: OpenSearchTextSearchSettings): TextSearch {
  const vocabulary = createNewestIndex(settings);
  const target = { cluster, index };
  const withinTime = async <Result>(
    ask: (signal: AbortSignal) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await ask(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    } catch (error) {
      const isLate = timeout.aborted && !signal?.aborted;
      throw toApiError(isLate ? new ClusterError(undefined, "a search took too long") : error);
    }
  };
  const search = (query: SearchQuery, signal?: AbortSignal) =>
    withinTime((until) => searchCluster(target, vocabulary(), query, until), signal);
  const firstGroups = (query: SearchQuery, signal?: AbortSignal) =>
    withinTime((until) => firstOfEachGroup(target, vocabulary(), query, until), signal);
  return {
    search: async (query, signal) => {
      signal.throwIfAborted();
      return toTextHits(query, await search(toSearchQuery(query), signal));
    },
    suggest: async (query, signal) => {
      signal.throwIfAborted();
      return suggest(vocabulary(), (matches) => firstGroups(matches, signal), query);
    },
    ...namesOf(vocabulary),
    wordFrequency: async (word) => {
      const bodies = filterTerms(vocabulary(), word).map((terms) => ({ size: 0, query: hasAnyTerm(terms) }));
      if (bodies.length === 0) return 0;
      const counts = await withinTime((signal) =>
        runSearches(target, bodies, { preference: "words", signal }),
      );
      return Math.min(...counts.map(({ total }) => total));
    },
  };
}

/** Names come from the vocabulary, products from a search. */
async function suggest(
  vocabulary: TextIndex,
  search: (query: SearchQuery) => Promise<number[]>,
  { text, source, queryLimit, nameLimit, productLimit, outOfStockLast = false }: SuggestionQuery,
): Promise<TextSuggestions> {
  const { queries, brands, categories } = vocabulary.suggest({
    text,
    source: sourceCode(source),
    queryLimit,
    nameLimit,
    productLimit: 0,
  });
  const query = {
    text: queries[0] ?? text,
    filters: { source: sourceCode(source) },
    everyWord: queries.length > 0,
    offset: 0,
    limit: productLimit,
    lastAvailability: lastAvailability(outOfStockLast),
  };
  // As in the text index: synonyms only if the words as written find nothing.
  let ids: number[] = [];
  if (text.trim() !== "") ids = await search({ ...query, asWritten: true });
  if (text.trim() !== "" && ids.length === 0) ids = await search(query);
  return { queries: [...queries], brands: [...brands], categories: [...categories], rowIds: ids };
}
