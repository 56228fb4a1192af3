import {
  type Presentation,
  priceHistoryLimit,
  toKeptProduct,
} from "@product-search/core/domain/mapping/to-product.ts";
import { parsePriceRange } from "@product-search/core/domain/price/money.ts";
import { readFilters, readUnits } from "@product-search/core/domain/query-understanding/read-filters.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { SortKey, TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Product } from "@product-search/types";

export interface SearchTrialDeps extends Presentation {
  textSearch: Pick<TextSearch, "search" | "hasUnit">;
  catalogStore: Pick<CatalogStore, "findWithHistory">;
  /** Default: it is mixed with the others. */
  outOfStockLast?: boolean | undefined;
}

export interface TrialQuery {
  q: string;
  /** Read no filters in `q`. */
  literal?: boolean;
  /** Takes precedence over a price in `q`. */
  priceRange?: string;
  sort?: SortKey;
  order?: "asc" | "desc";
}

const maxProducts = 5;

/** The five best products of the catalog for a text. */
export async function searchTrial(
  deps: SearchTrialDeps,
  { q, literal = false, priceRange, sort = "relevance", order }: TrialQuery,
  signal: AbortSignal,
): Promise<Product[]> {
  const bounds = priceRange === undefined ? {} : parsePriceRange(priceRange, deps.currency);
  const { words, filters } = literal
    ? { words: q, filters: {} }
    : await readFilters(q, deps.currency, await readUnits(deps.textSearch, q, deps.currency));
  const { rowIds } = await deps.textSearch.search(
    {
      text: words,
      filters: { source: "catalog", ...filters, ...bounds },
      sort,
      ...(order !== undefined && { order }),
      offset: 0,
      limit: maxProducts,
      outOfStockLast: deps.outOfStockLast === true,
      byMeaning: !literal,
    },
    signal,
  );
  const found = await deps.catalogStore.findWithHistory(rowIds, priceHistoryLimit);
  return found.map((product) => toKeptProduct(product, deps));
}
