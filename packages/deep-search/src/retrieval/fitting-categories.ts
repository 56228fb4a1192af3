import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { FacetCount, TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import type { FoundIntent } from "./find-intent.ts";

/** A category fits if at least this share of its products matches, compared with the best category. */
const leastShare = 0.5;
const allCategories = 50;

/**
 * "A present for a gamer" names no thing. Products of categories that are about gaming come first: half of the keyboards
 * mention it, and few of the tables.
 */
export async function fittingCategoriesFirst(
  products: readonly StoredProduct[],
  { intent, hits }: FoundIntent,
  { search }: Pick<TextSearch, "search">,
  signal: AbortSignal,
): Promise<StoredProduct[]> {
  const matching = hits.facets?.categories ?? [];
  if (!namesNoThing(intent) || matching.length < 2) return [...products];
  const everything = { text: "", filters: { source: "catalog" }, sort: "relevance", order: "desc" } as const;
  const query = { ...everything, offset: 0, limit: 1, facetLimit: allCategories };
  const all = await unlessUsedUp(() => search(query, signal), undefined);
  if (all === undefined) return [...products];
  const { facets } = all;
  const shares = sharesOf(matching, facets?.categories ?? []);
  const least = leastShare * Math.max(0, ...shares.values());
  const fits = ({ category = "" }: StoredProduct): boolean => (shares.get(category) ?? 0) >= least;
  return [...products.filter(fits), ...products.filter((product) => !fits(product))];
}

/** The request names a purpose only. */
export function namesNoThing({ head, kinds, words, constraints }: FoundIntent["intent"]): boolean {
  const { categories, brands, stores } = constraints;
  return [head, kinds, categories, brands, stores].every((name) => name === undefined) && words.length > 0;
}

function sharesOf(matching: readonly FacetCount[], all: readonly FacetCount[]): ReadonlyMap<string, number> {
  const totals = new Map(all.map(({ value, count }) => [value, count]));
  return new Map(matching.map(({ value, count }) => [value, count / (totals.get(value) ?? count)]));
}
