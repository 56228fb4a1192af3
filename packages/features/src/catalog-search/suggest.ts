import { normaliseQuery } from "@product-search/core/domain/insights/kept-query.ts";
import { toBrand } from "@product-search/core/domain/mapping/to-product.ts";
import { fold } from "@product-search/core/domain/name-list.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { PopularQueries } from "@product-search/core/ports/insights.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Brand, SuggestionsResponse } from "@product-search/types";
import { type ReadProductsDeps, readProducts } from "./search-catalog.ts";

export interface SuggestDeps extends ReadProductsDeps {
  textSearch: Pick<TextSearch, "suggest">;
  /** Absent when nothing is counted. */
  popularQueries?: PopularQueries | undefined;
  /** Default: it is mixed with the others. */
  outOfStockLast?: boolean | undefined;
}

const limits = { nameLimit: 5, productLimit: 5 };
const maxQueries = 8;
/** A popular query comes first when it is among so many. */
const queryLimit = 2 * maxQueries;

/** Completes the text that a user types. */
export async function suggest(
  deps: SuggestDeps,
  { q }: { q: string },
  signal: AbortSignal,
): Promise<SuggestionsResponse> {
  const complete = (text: string) =>
    deps.textSearch.suggest(
      { text, source: "catalog", queryLimit, ...limits, outOfStockLast: deps.outOfStockLast === true },
      signal,
    );
  const suggestions = await complete(q);
  const queries = popularFirst(q, suggestions.queries, deps.popularQueries);
  const [first] = queries;
  // The products are those of the first query.
  const { rowIds } =
    first === undefined || first === suggestions.queries[0] ? suggestions : await complete(first);
  return {
    status: "success",
    queries: queries.slice(0, maxQueries),
    brands: suggestions.brands.map((name) => toBrand(name, deps.publicUrl)),
    categories: [...suggestions.categories],
    Products: await readProducts(deps, rowIds),
  };
}

/**
 * Queries that begin with the typed text complete it equally well: the most frequent comes first. The others, such as those
 * for a text with a typing error, keep their places.
 */
function popularFirst(
  text: string,
  queries: readonly string[],
  popular: SuggestDeps["popularQueries"],
): readonly string[] {
  if (popular === undefined) return queries;
  const typed = fold(normaliseQuery(text));
  const isEqual = queries.map((query) => fold(query).startsWith(typed));
  const equal = queries
    .filter((_, at) => isEqual[at])
    .map((query) => ({ query, searches: popular.searchesOf(query) }))
    .sort((one, other) => other.searches - one.searches)
    .values();
  return queries.map((query, at) => (isEqual[at] ? (equal.next().value?.query ?? query) : query));
}

export interface SearchBrandsDeps {
  textSearch: Pick<TextSearch, "findBrands">;
  publicUrl: string;
}

const maxBrands = 20;

/** Brands of every source whose name contains or resembles the query, best first. */
export async function searchBrands(
  { textSearch, publicUrl }: SearchBrandsDeps,
  query: string,
): Promise<Brand[]> {
  const names = await textSearch.findBrands(query, maxBrands);
  if (names.length === 0) {
    throw new ApiError(
      "brand_not_found",
      `No brand found for "${query}". Try a shorter part of its name or another spelling.`,
    );
  }
  return names.map((name) => toBrand(name, publicUrl));
}
