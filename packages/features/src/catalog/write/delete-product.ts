import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { productNotFound } from "../../product-not-found.ts";

export interface DeleteProductDeps {
  /** The source of truth. */
  catalogWrites: Pick<CatalogStore, "remove">;
}

/** Deletes a product of any source by its `_id`. */
export async function deleteProduct({ catalogWrites }: DeleteProductDeps, id: string): Promise<void> {
  const [outcome] = await catalogWrites.remove([id]);
  if (outcome !== "removed") throw productNotFound();
}
