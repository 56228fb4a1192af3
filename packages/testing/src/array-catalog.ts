import type { Availability } from "@product-search/core/domain/availability.ts";
import { indexedNumbers } from "@product-search/core/domain/fields.ts";
import type { PriceEntry, StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type {
  FacetValue,
  MeasureRange,
  TextFilters,
  TextHits,
  TextQuery,
  TextSearch,
} from "@product-search/core/ports/text-search.ts";
import { boundedNumbers, hasNumberWithin } from "@product-search/text-index";
import { inOrder } from "./naive-catalog.ts";

/** The fields of a product that a test sets; the rest has defaults. */
export interface TestProduct {
  name: string;
  price: number;
  brand?: string;
  store?: string;
  category?: string;
  description?: string;
  rating?: number;
  discount?: number;
  availability?: Availability;
  attributes?: Readonly<Record<string, string[]>>;
  /** Former prices, oldest first, a week apart. */
  history?: readonly number[];
}

const now = Date.UTC(2026, 10, 21);
const week = 7 * 24 * 60 * 60 * 1000;

export function storedProduct(product: TestProduct, rowId: number): StoredProduct {
  return {
    rowId,
    id: `id-${rowId}`,
    slug: `slug-${rowId}`,
    key: String(rowId),
    source: "catalog",
    name: product.name,
    storeName: product.store ?? "Corner Shop",
    description: product.description ?? "",
    url: `/p/${rowId}`,
    images: [],
    priceMinor: Math.round(product.price * 100),
    availability: product.availability ?? "in_stock",
    reviewCount: 12,
    isVerified: false,
    isBoosted: false,
    discountVal: product.discount ?? 0,
    priceSinceMs: now,
    createdAtMs: now,
    updatedAtMs: now,
    ...(product.brand !== undefined && { brand: product.brand }),
    ...(product.category !== undefined && { category: product.category }),
    ...(product.attributes !== undefined && { attributes: product.attributes }),
    ...(product.rating !== undefined && { averageRating: product.rating }),
  };
}

/** Text search and catalog over an array: the simplest implementation of the ports, without spelling correction. */
export function createArrayCatalog(products: readonly TestProduct[]): {
  textSearch: TextSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds" | "priceHistories">;
} {
  const rows = products.map(storedProduct);
  const named =
    (pick: (row: StoredProduct) => string | string[] | undefined, isCalled = (name: string) => name) =>
    async (text: string) =>
      unique(rows.flatMap(pick)).filter((name) =>
        ` ${stems(text).join(" ")} `.includes(` ${stems(isCalled(name)).join(" ")} `),
      );
  return {
    textSearch: {
      search: async (query) => search(rows, query),
      suggest: async () => ({ queries: [], brands: [], categories: [], rowIds: [] }),
      findBrands: async () => [],
      brandsNamedIn: named(({ brand }) => brand),
      categoriesNamedIn: named(({ category }) => category),
      storesNamedIn: named(({ storeName }) => storeName),
      attributesNamedIn: named(
        ({ attributes = {} }) => Object.keys(attributes),
        (name) => name.split(" ").at(-1) ?? "",
      ),
      numberUnit: async () => undefined,
      hasUnit: async (unit) => rows.some((row) => isMeasured(row, { unit })),
      wordFrequency: async (word) => rows.filter((row) => hasAll(row, word)).length,
    },
    catalogStore: {
      findByRowIds: async (rowIds) => rowIds.flatMap((rowId) => rows[rowId] ?? []),
      priceHistories: async (rowIds) => rowIds.map((rowId) => history(products[rowId])),
    },
  };
}

function history(product: TestProduct | undefined): PriceEntry[] {
  const prices = [...(product?.history ?? []), product?.price ?? 0];
  return prices.map((price, index) => ({
    id: String(index),
    priceMinor: Math.round(price * 100),
    atMs: now - (prices.length - 1 - index) * week,
  }));
}

function search(rows: readonly StoredProduct[], query: TextQuery): TextHits {
  const allowed = rows.filter((row) => passes(row, query.filters));
  const words = stems(query.text);
  const known = words.filter((word) => rows.some((row) => hasAll(row, word)));
  let matches = allowed.filter((row) => hasAll(row, query.text));
  let droppedWords: string[] = [];
  if (matches.length === 0 && !query.everyWord && known.length > 0) {
    droppedWords = words.filter((word) => !known.includes(word));
    matches = allowed.filter((row) => known.every((word) => hasAll(row, word)));
  }
  const text = droppedWords.length === 0 ? query.text : known.join(" ");
  const sourceHas = rows.some((row) => hasAll(row, text)) ? "thing" : "nothing";
  const sorted = matches.toSorted(inOrder(query));
  const limit = query.facets?.maxValues ?? 0;
  return {
    rowIds: sorted.slice(query.offset, query.offset + query.limit).map(({ rowId }) => rowId),
    total: matches.length,
    sourceHas,
    droppedWords,
    facets: {
      brands: facet(matches, ({ brand }) => brand, limit),
      categories: facet(matches, ({ category }) => category, limit),
      stores: facet(matches, ({ storeName }) => storeName, limit),
      price: [],
      rating: [],
      categoryPaths: [],
      availability: [],
      onSale: [],
      attributes: [],
    },
  };
}

function passes(row: StoredProduct, filters: TextFilters): boolean {
  const among = (names: readonly string[] | undefined, value: string | undefined): boolean =>
    names === undefined || names.some((name) => name.toLowerCase() === value?.toLowerCase());
  return (
    boundedNumbers(filters).every(({ of, least, most }) => {
      const number = row[indexedNumbers[of]] ?? 0;
      return least <= number && number <= most;
    }) &&
    among(filters.availability, row.availability) &&
    among(filters.brands, row.brand) &&
    among(filters.categories, row.category) &&
    among(filters.stores, row.storeName) &&
    (filters.attributes ?? []).every(({ name, values }) =>
      values.some((value) =>
        row.attributes?.[name]?.some((own) => own.toLowerCase() === value.toLowerCase()),
      ),
    ) &&
    (filters.measures ?? []).every((range) => isMeasured(row, range)) &&
    (filters.withWords ?? []).every((group) => group.some((word) => hasAll(row, word))) &&
    !(filters.withoutWords ?? []).some((text) => hasAll(row, text))
  );
}

function isMeasured({ attributes = {} }: StoredProduct, { unit, min, max }: MeasureRange): boolean {
  const bound = (value: number | undefined) => (value === undefined ? undefined : { value, unit });
  return Object.keys(attributes).some((name) =>
    hasNumberWithin({ name, min: bound(min), max: bound(max) }, unit, attributes),
  );
}

function hasAll(row: StoredProduct, text: string): boolean {
  const values = Object.values(row.attributes ?? {}).flat();
  const texts = [row.name, row.brand, row.storeName, row.category, row.description, ...values];
  const own = new Set(stems(texts.join(" ")));
  return stems(text).every((word) => own.has(word));
}

function stems(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.replace(/(?<=\w{3})e?s$/u, ""),
  );
}

function facet(
  rows: readonly StoredProduct[],
  pick: (row: StoredProduct) => string | undefined,
  limit: number,
): FacetValue[] {
  return unique(rows.map(pick))
    .map((value) => ({ value, count: rows.filter((row) => pick(row) === value).length }))
    .sort((a, b) => b.count - a.count)
    .slice(0, limit);
}

function unique(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}
