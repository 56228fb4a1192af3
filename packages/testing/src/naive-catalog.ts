import { numberSorts } from "@product-search/core/domain/fields.ts";
import type { PriceEntry, StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import {
  isNumberSort,
  type NamedSort,
  type SortKey,
  type TextQuery,
  type TextSearch,
} from "@product-search/core/ports/text-search.ts";
import { defaultOrder, isNumberColumn } from "@product-search/text-index";

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

/** All matches are equally relevant here: ties are ordered by row. */
function inOrder({
  sort,
  order = defaultOrder(namedSort(sort)),
}: TextQuery): (one: StoredProduct, other: StoredProduct) => number {
  const sign = order === "asc" ? 1 : -1;
  const named = namedSort(sort);
  const column = isNumberColumn(named)
    ? (product: StoredProduct) => product[numberSorts[named]] ?? 0
    : {
        relevance: () => 0,
        price: ({ priceMinor }: StoredProduct) => priceMinor,
        "price:relevance": ({ priceMinor }: StoredProduct) => priceMinor,
        rating: ({ averageRating = -1 }: StoredProduct) => averageRating,
        discount: ({ discountVal }: StoredProduct) => discountVal,
        popularity: ({ popularity = 0 }: StoredProduct) => popularity,
      }[named];
  return (one, other) => sign * (column(one) - column(other)) || one.rowId - other.rowId;
}

/** Attributes are not sorted by. */
function namedSort(sort: SortKey): NamedSort {
  return isNumberSort(sort) ? "relevance" : sort;
}
