import { availabilities } from "@product-search/core/domain/availability.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { Constraints } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import type { DeepSearch } from "@product-search/deep-search/deep-search.ts";
import type { Understanding } from "@product-search/deep-search/understanding/understanding.ts";
import { shadesOf } from "@product-search/deep-search/understanding/word-lists.ts";
import type { DeepSearchResult } from "@product-search/types";
import requests from "./requests.json" with { type: "json" };

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

/** The expected understanding of one intent; prices in the major unit of the currency. What is missing must not be read. */
interface ExpectedIntent {
  category?: string;
  words?: string;
  /** Its purpose and place. */
  for?: string;
  /** Wishes that only affect the order. */
  wishes?: string;
  min?: number;
  max?: number;
  rating?: number;
  discount?: number;
  stock?: string;
  brand?: string;
  store?: string;
  /** "red|blue black": red or blue, and black. */
  colours?: string;
  size?: string;
  /** "leather, shoulder strap". */
  without?: string;
}

export interface EvalRequest {
  request: string;
  intents: readonly ExpectedIntent[];
  sort?: string;
  /** A budget for all intents together. */
  budget?: number;
  topic?: string;
}

/** Written before they were first run, with words of the sample catalog. */
export const evalRequests: readonly EvalRequest[] = requests;

/** The differences from the expected understanding; empty if there are none. */
export function compareReading(read: Understanding, expected: EvalRequest): string[] {
  const faults: string[] = [];
  const compare = (what: string, actual: unknown, expectedValue: unknown): void => {
    const [found, asked] = [JSON.stringify(actual), JSON.stringify(expectedValue)];
    if (found !== asked) faults.push(`${what} is ${found}, not ${asked}`);
  };
  compare("topic", read.topic, expected.topic);
  compare("number of wants", read.intents.length, expected.intents.length);
  compare("sorting", `${read.sorting.sort} ${read.sorting.order}`, expected.sort ?? "relevance desc");
  compare("budget", read.sharedBudgetMinor, minor(expected.budget));
  for (const [index, intent] of expected.intents.entries()) {
    const { words = [], purpose = [], wishes = [], constraints = {} } = read.intents[index] ?? {};
    compare("words", words.join(" "), intent.words ?? "");
    compare("purpose", purpose.join(" "), intent.for ?? "");
    compare("wishes", wishes.join(" "), intent.wishes ?? "");
    const actual = inOrder(constraints);
    compare("constraints", actual, inOrder(expectedConstraints(intent)));
  }
  return faults;
}

const minor = (amount: number | undefined): number | undefined =>
  amount === undefined ? undefined : Math.round(amount * 100);

function expectedConstraints(intent: ExpectedIntent): Constraints {
  const { category, brand, store, min, max, rating, discount, stock, colours, size, without } = intent;
  return {
    ...(min !== undefined && { minPriceMinor: Math.round(min * 100) }),
    ...(max !== undefined && { maxPriceMinor: Math.round(max * 100) }),
    ...(rating !== undefined && { minRating: rating }),
    ...(discount !== undefined && { minDiscount: discount }),
    ...(stock !== undefined && { availability: availabilities.filter((one) => one === stock) }),
    ...(brand !== undefined && { brands: [brand] }),
    ...(store !== undefined && { stores: [store] }),
    ...(category !== undefined && { categories: [category] }),
    ...(colours !== undefined && { colours: colours.split(" ").map((group) => group.split("|")) }),
    ...(size !== undefined && { attributes: [{ name: "size", values: [size] }] }),
    ...(without !== undefined && { without: without.split(", ") }),
  };
}

function inOrder(constraints: Constraints): [string, unknown][] {
  return Object.entries(constraints).toSorted(([one], [other]) => one.localeCompare(other));
}
