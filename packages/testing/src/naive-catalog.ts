import { indexedNumbers } from "@product-search/core/domain/fields.ts";
import type { PriceEntry, StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import { isNumberSort, type TextQuery, type TextSearch } from "@product-search/core/ports/text-search.ts";
import { defaultOrder } from "@product-search/text-index";

const nowMs = Date.UTC(2026, 10, 1);

export function storedProduct(rowId: number, over: Partial<StoredProduct> = {}): StoredProduct {
  return {
    rowId,
    source: "catalog",
    key: `key-${rowId}`,
    id: `id-${rowId}`,
    slug: `slug-${rowId}`,
    name: `Product ${rowId}`,
    storeName: "Store",
    description: "",
    url: `/products/slug-${rowId}`,
    images: [`/images/${rowId}.webp`],
    priceMinor: 1000,
    availability: "in_stock",
    reviewCount: 0,
    isVerified: false,
    isBoosted: false,
    discountVal: 0,
    priceSinceMs: nowMs,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    ...over,
  };
}

/** A product of a marketplace, with the identifiers that the store would assign. */
export function listed(source: Marketplace, rowId: number, over: Partial<StoredProduct> = {}): StoredProduct {
  const code = `CODE${rowId}`;
  return storedProduct(rowId, { source, key: code, id: `${source}_${code}`, slug: code, ...over });
}

/** Products in memory and a search by a full scan: slow, but obviously correct. */
export function createNaiveCatalog(products: readonly StoredProduct[]): {
  textSearch: Pick<TextSearch, "search" | "findBrands" | "brandsNamedIn" | "hasUnit">;
  catalogStore: Pick<CatalogStore, "findByRowIds" | "findWithHistory">;
} {
  const brands = [...new Set(products.flatMap(({ brand }) => brand ?? []))];
  const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
  return {
    textSearch: {
      async search(query, signal) {
        signal.throwIfAborted();
        const matches = products.filter((product) => isMatch(product, query)).toSorted(inOrder(query));
        const rowIds = matches.slice(query.offset, query.offset + query.limit).map(({ rowId }) => rowId);
        return { rowIds, total: matches.length, sourceHas: "words", droppedWords: [] };
      },
      hasUnit: async () => false,
      findBrands: async (text, limit) => brands.filter((brand) => has(brand, text)).slice(0, limit),
      brandsNamedIn: async (text) => brands.filter((brand) => has(text, brand)),
    },
    catalogStore: {
      findByRowIds: async (rowIds) =>
        rowIds.flatMap((id) => products.find(({ rowId }) => rowId === id) ?? []),
      findWithHistory: async (rowIds, limit) =>
        rowIds.flatMap((id) =>
          products
            .filter(({ rowId }) => rowId === id)
            .map((product) => ({ product, history: [presentPrice(product)].slice(-limit) })),
        ),
    },
  };
}

function presentPrice({ rowId, priceMinor, priceSinceMs }: StoredProduct): PriceEntry {
  return { id: `price-${rowId}`, priceMinor, atMs: priceSinceMs };
}

function isMatch({ source, name, priceMinor }: StoredProduct, { text, filters }: TextQuery): boolean {
  return (
    name.toLowerCase().includes(text.toLowerCase()) &&
    (filters.source ?? source) === source &&
    priceMinor >= (filters.minPriceMinor ?? 0) &&
    priceMinor <= (filters.maxPriceMinor ?? Number.POSITIVE_INFINITY)
  );
}

const sortedBy = {
  ...indexedNumbers,
  price: "priceMinor",
  "price:relevance": "priceMinor",
  popularity: "popularity",
} as const satisfies Record<string, keyof StoredProduct>;

/** All matches are equally relevant here: ties are ordered by row. Attributes are not sorted by. */
export function inOrder({
  sort,
  order = defaultOrder(sort),
}: TextQuery): (one: StoredProduct, other: StoredProduct) => number {
  const sign = order === "asc" ? 1 : -1;
  const column = sort === "relevance" || isNumberSort(sort) ? undefined : sortedBy[sort];
  const numberOf = (product: StoredProduct) => (column && product[column]) ?? 0;
  return (one, other) => sign * (numberOf(one) - numberOf(other)) || one.rowId - other.rowId;
}
