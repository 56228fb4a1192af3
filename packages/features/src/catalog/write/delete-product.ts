import { findNamedProducts, productNotFound } from "@product-search/core/domain/find-product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { WrittenProducts } from "@product-search/core/ports/written-products.ts";

export interface DeleteProductDeps {
  /** The source of truth. */
  catalogWrites: Pick<CatalogStore, "remove" | "findByIds">;
  writtenProducts: Pick<WrittenProducts, "note">;
}

/** Deletes a product of any source by its `_id` or its key. */
export async function deleteProduct(
  { catalogWrites, writtenProducts }: DeleteProductDeps,
  idOrKey: string,
): Promise<void> {
  const product = (await findNamedProducts(catalogWrites, [idOrKey])).get(idOrKey);
  const id = product?.id ?? idOrKey;
  // First: a feed that was fetched before must not create it again.
  if (product !== undefined) await writtenProducts.note([id]);
  // Also what cannot be read, which is found by its identifier alone.
  const [outcome] = await catalogWrites.remove([id]);
  if (outcome !== "removed") throw productNotFound();
}
