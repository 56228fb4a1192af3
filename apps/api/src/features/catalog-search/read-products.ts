import type { Product } from "@product-search/types";
import { type Presentation, priceHistoryLimit, toProduct } from "../../domain/to-product.ts";
import type { CatalogStore } from "../../ports/catalog-store.ts";

export interface ReadProductsDeps extends Presentation {
  catalogStore: Pick<CatalogStore, "findByRowIds" | "priceHistories">;
}

/** The products of the catalog as answers show them, in the order of `rowIds`. */
export async function readProducts(deps: ReadProductsDeps, rowIds: readonly number[]): Promise<Product[]> {
  const products = await deps.catalogStore.findByRowIds(rowIds);
  const present = products.map(({ rowId }) => rowId);
  const histories = await deps.catalogStore.priceHistories(present, priceHistoryLimit);
  return products.map((product, at) => toProduct(product, histories[at] ?? [], deps));
}
