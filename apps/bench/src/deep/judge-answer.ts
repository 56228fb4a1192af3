import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { Constraints } from "@product-search/core/domain/query-understanding/constraints.ts";
import type { DeepSearch } from "@product-search/deep-search/deep-search.ts";
import { shadesOf } from "@product-search/deep-search/understanding/word-lists.ts";
import type { DeepSearchResult } from "@product-search/types";
import { type EvalRequest, expectedConstraints } from "./requests.ts";

/** All products of the catalog, to check answers against. */
export type Catalog = readonly StoredProduct[];

/** Whether the product meets each of the constraints. */
function satisfies(product: StoredProduct, constraints: Constraints): boolean {
  const {
    minPriceMinor = 0,
    maxPriceMinor = Number.POSITIVE_INFINITY,
    minRating = 0,
    minDiscount = 0,
  } = constraints;
  const {
    availability,
    brands,
    stores,
    categories,
    colours = [],
    attributes = [],
    without = [],
  } = constraints;
  const own = `${product.name} ${product.category} ${product.description}`;
  const words = wordsOf(`${own} ${product.brand}`);
  return (
    product.priceMinor >= minPriceMinor &&
    product.priceMinor <= maxPriceMinor &&
    (product.averageRating ?? 0) >= minRating &&
    product.discountVal >= minDiscount &&
    (availability?.includes(product.availability) ?? true) &&
    (brands?.includes(product.brand ?? "") ?? true) &&
    (stores?.includes(product.storeName) ?? true) &&
    (categories?.includes(product.category ?? "") ?? true) &&
    attributes.every(({ name, values }) =>
      values.some((value) => product.attributes?.[name]?.includes(value)),
    ) &&
    colours.every((group) => group.some((colour) => wordsOf(own).has(colour))) &&
    ![...without, ...without.flatMap((colour) => shadesOf.get(colour) ?? [])].some((thing) =>
      thing.split(" ").every((word) => words.has(word)),
    )
  );
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Price bounds and exclusions must hold in every answer, whatever was relaxed. */
export function brokenBounds(
  { topProducts }: DeepSearchResult,
  { intents }: EvalRequest,
  catalog: Catalog,
): string[] {
  const hard = intents.map((intent) => {
    const { minPriceMinor, maxPriceMinor, without } = expectedConstraints(intent);
    return {
      ...(minPriceMinor !== undefined && { minPriceMinor }),
      ...(maxPriceMinor !== undefined && { maxPriceMinor }),
      ...(without !== undefined && { without }),
    };
  });
  return brokenBy(topProducts, hard, catalog);
}

/** If nothing was relaxed, every constraint must hold. */
export function brokenConstraints(
  { topProducts }: DeepSearchResult,
  { intents }: EvalRequest,
  catalog: Catalog,
): string[] {
  return brokenBy(topProducts, intents.map(expectedConstraints), catalog);
}

function brokenBy(
  topProducts: DeepSearchResult["topProducts"],
  alternatives: readonly Constraints[],
  catalog: Catalog,
): string[] {
  if (alternatives.length === 0) return topProducts.map(({ name }) => name);
  return topProducts
    .filter(({ name, storeName, price }) => {
      const candidates = catalog.filter(
        (product) =>
          product.name === name &&
          product.storeName === storeName &&
          product.priceMinor === Math.round(price * 100),
      );
      return !candidates.some((product) =>
        alternatives.some((constraints) => satisfies(product, constraints)),
      );
    })
    .map(({ name }) => name);
}

/** The count found by checking every product; undefined if words are searched, because only the index can match them. */
export function countByHand({ intents, budget }: EvalRequest, catalog: Catalog): number | undefined {
  if (intents.length === 0) return 0;
  if (budget !== undefined || intents.some((intent) => (intent.words ?? intent.for) !== undefined))
    return undefined;
  return intents
    .map((intent) => catalog.filter((product) => satisfies(product, expectedConstraints(intent))).length)
    .reduce((sum, count) => sum + count, 0);
}

/** Suggested queries that find nothing. */
export async function fruitless(
  { suggestions, otherOptions }: DeepSearchResult,
  deepSearch: DeepSearch,
  kinds: Map<string, boolean>,
): Promise<string[]> {
  const queries = [...suggestions, ...otherOptions.relatedSearches, ...otherOptions.categories];
  for (const query of queries) {
    if (kinds.has(query)) continue;
    const { data } = await deepSearch.answer({ query }, new AbortController().signal);
    kinds.set(query, data.productCount > 0 && !/set aside|without the words?/.test(data.description));
  }
  return queries.filter((query) => kinds.get(query) !== true);
}

/** The same thing in several colours or materials although there are others, or more than ten products. */
export function repeats({ topProducts }: DeepSearchResult): string[] {
  const families = topProducts.map(({ name }) => name.split(",")[0] ?? "");
  const doubles =
    new Set(families).size < 3 ? [] : families.filter((family, index) => families.indexOf(family) < index);
  return topProducts.length > 10 ? [...doubles, "more than ten"] : doubles;
}
