import type { Availability } from "@product-search/core/domain/availability.ts";
import { toAnyProduct } from "@product-search/core/domain/mapping/to-any-product.ts";
import { type Presentation, priceHistoryLimit } from "@product-search/core/domain/mapping/to-product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { AnyProduct } from "@product-search/types";
import { productNotFound } from "./product-not-found.ts";

export interface GetProductDeps extends Presentation {
  catalogStore: Pick<CatalogStore, "findById" | "priceHistories">;
}

/** The stored product of any source, with its availability. */
export async function getProduct(
  deps: GetProductDeps,
  id: string,
): Promise<{ product: AnyProduct; availability: Availability }> {
  const product = await deps.catalogStore.findById(id);
  if (product === undefined) throw productNotFound();
  const [history = []] = await deps.catalogStore.priceHistories([product.rowId], priceHistoryLimit);
  return { product: toAnyProduct(product, history, deps), availability: product.availability };
}
