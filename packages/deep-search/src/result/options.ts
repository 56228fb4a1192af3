import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { FacetValue } from "@product-search/core/ports/text-search.ts";
import type { DeepSearchOptions } from "@product-search/types";
import { formatBound } from "../answer/format.ts";
import type { Retrieved } from "../retrieval/retrieve.ts";

const most = { related: 6, filters: 8, categories: 8 };

/** Follow-up queries, based only on the products of the result. */
export function otherOptions(
  { parts, products, productCount }: Retrieved,
  currency: string,
): DeepSearchOptions {
  const facets = (kind: "brands" | "categories" | "stores"): FacetValue[] =>
    mergeFacets(parts.map(({ hits }) => hits.facets?.[kind] ?? []));
  return {
    relatedSearches: relatedSearches(products).slice(0, most.related),
    filters: [
      ...priceFilters(products, currency),
      ...ratingFilters(products),
      ...(products.some(({ discountVal }) => discountVal >= 1) ? ["on sale"] : []),
      ...(products.some(({ availability }) => availability !== "in_stock") ? ["in stock"] : []),
      ...narrowing(facets("brands"), productCount).map(({ value }) => `by ${value}`),
      ...narrowing(facets("stores"), productCount).map(({ value }) => `from ${value}`),
    ].slice(0, most.filters),
    categories: facets("categories")
      .map(({ value }) => value)
      .slice(0, most.categories),
  };
}

function mergeFacets(lists: readonly (readonly FacetValue[])[]): FacetValue[] {
  const counts = new Map<string, number>();
  for (const { value, count } of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + count);
  return Array.from(counts, ([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

/** At most three brands that exclude some of the products: a brand that all matches share would not filter. */
function narrowing(facets: readonly FacetValue[], total: number): FacetValue[] {
  return facets.filter(({ count }) => count < total).slice(0, 3);
}

function relatedSearches(products: readonly StoredProduct[]): string[] {
  const pairs = products.flatMap(({ brand, category }) =>
    brand === undefined || category === undefined ? [] : [`${brand} ${category.toLowerCase()}`],
  );
  return [...new Set(pairs)];
}

function priceFilters(products: readonly StoredProduct[], currency: string): string[] {
  const bound = roundBound(products.map(({ priceMinor }) => fromMinor(priceMinor, currency)));
  return bound === undefined ? [] : [`under ${formatBound(bound, currency)}`];
}

/** A round price between the cheaper and the more expensive products; undefined if the prices are similar. */
export function roundBound(prices: readonly number[]): number | undefined {
  const sorted = prices.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  const [least] = sorted;
  const largest = sorted.at(-1);
  if (middle === undefined || least === undefined || largest === undefined || middle <= 0) return undefined;
  const step = 10 ** Math.floor(Math.log10(middle)) / 2;
  const bound = Math.round(middle / step) * step;
  return bound > least && bound < largest ? bound : undefined;
}

function ratingFilters(products: readonly StoredProduct[]): string[] {
  const rated = products.filter(({ averageRating }) => (averageRating ?? 0) >= 4).length;
  return rated > 0 && rated < products.length ? ["rated 4 and up"] : [];
}
