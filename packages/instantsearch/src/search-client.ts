import type {
  CatalogBatchResponse,
  CatalogSearchResponse,
  RelatedProductsResponse,
  SuggestionsResponse,
} from "@product-search/types";
import type { CatalogSearch } from "./catalog-query.js";
import { refusal } from "./filters.js";
import { highlightWords } from "./highlight.js";
import { addSearches, checkParameters, planOf, type SearchRequest, shareSearches } from "./plan.js";
import { type Hit, listOf, type SearchResult, toHit, toResult } from "./results.js";
import { callService, isBusy, type ServiceOptions } from "./service.js";

export interface SearchClientOptions extends ServiceOptions {
  /** Whether the variants of a product are one hit; `nbHits` and facets then count groups. */
  grouped?: boolean;
}

/** A request of a widget for recommendations. */
export interface RecommendRequest {
  indexName: string;
  model: string;
  objectID?: string | undefined;
  maxRecommendations?: number | undefined;
  queryParameters?: object | undefined;
}

/** What `searchClient` of InstantSearch is, in all its flavours. */
export interface SearchClient {
  /** `Item` is the type that a widget gives its hits. They are products with what InstantSearch reads, see `Hit`. */
  search<Item = Hit>(
    requests: readonly { indexName: string; params?: object }[],
  ): Promise<{ results: SearchResult<Item>[] }>;
  getRecommendations<Item = Hit>(
    requests: readonly RecommendRequest[],
  ): Promise<{ results: SearchResult<Item>[] }>;
}

/** A search client that InstantSearch takes as `searchClient`. All searches of a page are one request to the service. */
export function createSearchClient(options: SearchClientOptions): SearchClient {
  return {
    async search<Item>(requests: readonly SearchRequest[]) {
      const results: unknown[] = await searchAll(options, requests);
      return { results: results.filter(hasItems<Item>) };
    },
    async getRecommendations<Item>(requests: readonly RecommendRequest[]) {
      const results: unknown[] = await Promise.all(requests.map((request) => recommend(options, request)));
      return { results: results.filter(hasItems<Item>) };
    },
  };
}

/** The caller says what type it gives its hits, as everywhere in InstantSearch. */
function hasItems<Item>(result: unknown): result is SearchResult<Item> {
  return typeof result === "object" && result !== null && ("hits" in result || "facetHits" in result);
}

async function searchAll(
  options: SearchClientOptions,
  requests: readonly SearchRequest[],
): Promise<object[]> {
  const startedAt = Date.now();
  const plans = requests.map((request) =>
    request.indexName === "queries" ? undefined : planOf(request, options.grouped),
  );
  const searched = plans.filter((plan) => plan !== undefined);
  shareSearches(searched);
  const searches: CatalogSearch[] = [];
  for (const plan of searched) addSearches(plan, searches);
  try {
    const [responses, ...answers] = await Promise.all([
      searchCatalog(options, searches),
      ...requests.map((request, at) => plans[at] ?? suggest(options, request)),
    ]);
    return answers.map((answer) =>
      "key" in answer ? toResult(answer, responses, Date.now() - startedAt) : answer,
    );
  } catch (error) {
    if (!isBusy(error)) throw error;
    return requests.map((request) => withoutHits(request, error));
  }
}

/** The hits of the text before would stay on the page if the search failed. InstantSearch does not keep artificial results. */
function withoutHits(request: SearchRequest, { status, message }: Error & { status: number }): object {
  const plan = planOf(request);
  return { ...toResult(plan, [], 0), __isArtificial: true, error: { status, message } };
}

const maxSearches = 10;

async function searchCatalog(
  options: ServiceOptions,
  searches: readonly CatalogSearch[],
): Promise<CatalogSearchResponse[]> {
  const batches: (readonly CatalogSearch[])[] = [];
  for (let at = 0; at < searches.length; at += maxSearches)
    batches.push(searches.slice(at, at + maxSearches));
  const responses = await Promise.all(batches.map((batch) => searchBatch(options, batch)));
  return responses.flat();
}

async function searchBatch(
  options: ServiceOptions,
  searches: readonly CatalogSearch[],
): Promise<CatalogSearchResponse[]> {
  const { results } = await callService<CatalogBatchResponse>(options, "/search/batch", {
    method: "POST",
    body: JSON.stringify({ searches }),
  });
  return results.map((result) => {
    if (result.status === "success") return result;
    throw Object.assign(new Error(result.message), { code: result.code });
  });
}

/** The index `queries`: completions of what was typed. */
async function suggest(
  options: ServiceOptions,
  { indexName, params = {} }: SearchRequest,
): Promise<SearchResult<object>> {
  const parameters = checkParameters(params);
  const { query = "", hitsPerPage = 8 } = parameters;
  const q = [...query].slice(0, 100).join("");
  const { queries } =
    q.trim() === ""
      ? { queries: [] }
      : await callService<SuggestionsResponse>(options, `/search/suggestions?${new URLSearchParams({ q })}`);
  return {
    ...listOf(
      indexName,
      queries.slice(0, hitsPerPage).map((text) => ({
        objectID: text,
        query: text,
        _highlightResult: { query: highlightWords(text, parameters) },
      })),
    ),
    query,
  };
}

const kinds: Readonly<Record<string, string>> = {
  "related-products": "alike",
  "looking-similar": "alike",
  "bought-together": "boughtTogether",
};

async function recommend(options: SearchClientOptions, request: RecommendRequest): Promise<SearchResult> {
  const { indexName, model, objectID = "", maxRecommendations: count = 10, queryParameters = {} } = request;
  const parameters = checkParameters(queryParameters);
  const kind = kinds[model];
  const filter = Object.keys(parameters).find((name) => /ilters$/.test(name));
  if (kind === undefined || filter) throw refusal(`${filter ?? model} of recommendations`, "use others");
  const query = new URLSearchParams({ kind, count: String(count) });
  const related = await callService<RelatedProductsResponse>(
    options,
    `/products/${encodeURIComponent(objectID)}/related?${query}`,
  );
  // Products of the same category were not bought together.
  const products = kind === "alike" || related.kind === kind ? related.Products : [];
  return listOf(
    indexName,
    products.map((product) => toHit(product, parameters)),
  );
}
