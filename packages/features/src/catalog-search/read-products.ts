import {
  type Presentation,
  priceHistoryLimit,
  toProduct,
} from "@product-search/core/domain/mapping/to-product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Product } from "@product-search/types";

export interface ReadProductsDeps extends Presentation {
  catalogStore: Pick<CatalogStore, "findWithHistory">;
}

/** The products of the catalog in the form of responses, in the order of `rowIds`. */
export async function readProducts(deps: ReadProductsDeps, rowIds: readonly number[]): Promise<Product[]> {
  const found = await deps.catalogStore.findWithHistory(rowIds, priceHistoryLimit);
  return found.map(({ product, history }) => toProduct(product, history, deps));
}
