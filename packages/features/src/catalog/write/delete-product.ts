import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { WrittenProducts } from "@product-search/core/ports/written-products.ts";
import { productNotFound } from "../../product-not-found.ts";

export interface DeleteProductDeps {
  /** The source of truth. */
  catalogWrites: Pick<CatalogStore, "remove">;
  writtenProducts: Pick<WrittenProducts, "note">;
}

/** Deletes a product of any source by its `_id`. */
export async function deleteProduct(
  { catalogWrites, writtenProducts }: DeleteProductDeps,
  id: string,
): Promise<void> {
  // First: a feed that was fetched before must not create it again.
  await writtenProducts.note([id]);
  const [outcome] = await catalogWrites.remove([id]);
  if (outcome !== "removed") throw productNotFound();
}
