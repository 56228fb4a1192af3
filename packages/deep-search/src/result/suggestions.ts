import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { formatBound } from "../answer/format.ts";
import { unlessUsedUp } from "../reading.ts";
import type { Retrieved } from "../retrieval/retrieve.ts";
import type { Understanding } from "../understanding/understanding.ts";
import { roundBound } from "./options.ts";

const maxSuggestions = 5;

/**
 * Other queries that find products: each is built from an existing product or category. If a search found nothing, they
 * come from the largest categories of the catalog.
 */
export async function suggestQueries(
  textSearch: TextSearch,
  understanding: Understanding,
  { products }: Retrieved,
  currency: string,
  signal: AbortSignal,
): Promise<string[]> {
  const suggestions =
    products.length > 0
      ? fromProducts(products, understanding, currency)
      : await fromCatalog(textSearch, understanding, signal);
  return [...new Set(suggestions)].slice(0, maxSuggestions);
}

function fromProducts(
  products: readonly StoredProduct[],
  { sorting }: Understanding,
  currency: string,
): string[] {
  const categories = [...new Set(products.flatMap(({ category }) => category ?? []))];
  const [main] = categories;
  if (main === undefined) return [...new Set(products.flatMap(({ brand }) => brand ?? []))];
  const own = products.filter(({ category }) => category === main);
  const noun = main.toLowerCase();
  const bound = roundBound(own.map(({ priceMinor }) => fromMinor(priceMinor, currency)));
  const brands = [...new Set(own.flatMap(({ brand }) => brand ?? []))];
  return [
    ...(sorting.sort === "rating" ? [] : [`best rated ${noun}`]),
    ...(bound === undefined ? [] : [`${noun} under ${formatBound(bound, currency)}`]),
    ...brands.slice(0, 1).map((brand) => `${noun} by ${brand}`),
    ...(own.some(({ discountVal }) => discountVal >= 1) ? [`${noun} on sale`] : []),
    ...(sorting.sort === "price" ? [] : [`cheapest ${noun}`]),
    ...categories.slice(1).map((category) => category.toLowerCase()),
    ...brands.slice(1, 3).map((brand) => `${noun} by ${brand}`),
  ];
}

async function fromCatalog(
  textSearch: TextSearch,
  { intents }: Understanding,
  signal: AbortSignal,
): Promise<string[]> {
  const named = intents.flatMap(({ constraints: { categories = [] } }) => categories);
  const everything = { text: "", filters: { source: "catalog" }, sort: "relevance", order: "desc" } as const;
  const query = { ...everything, offset: 0, limit: 1, facetLimit: maxSuggestions };
  const { facets } = await unlessUsedUp(() => textSearch.search(query, signal), { facets: undefined });
  return [...named, ...(facets?.categories ?? []).map(({ value }) => value)].map((category) =>
    category.toLowerCase(),
  );
}
