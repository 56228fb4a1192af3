import { findNamedProducts, productNotFound } from "@product-search/core/domain/identity.ts";
import type { CatalogStore, RemoveOutcome } from "@product-search/core/ports/catalog-store.ts";
import type { WrittenProducts } from "@product-search/core/ports/imports.ts";
import { applyInBatches } from "./apply-in-batches.ts";

export interface RemovedProduct {
  id: string;
  outcome: Exclude<RemoveOutcome, "outdated">;
}

interface RemoveProductsDeps {
  catalogStore: Pick<CatalogStore, "remove" | "batchMs">;
  writtenProducts: Pick<WrittenProducts, "note">;
}

/** Removes products by `_id`, in short transactions. Indexes and images follow within a second. */
export async function removeProducts(
  { catalogStore, writtenProducts }: RemoveProductsDeps,
  ids: readonly string[],
): Promise<RemovedProduct[]> {
  const uniqueIds = [...new Set(ids)];
  const outcomes: RemoveOutcome[] = [];
  const remove = async (some: readonly string[]) => {
    // First: a feed that was fetched before must not create them again.
    await writtenProducts.note(some);
    return catalogStore.remove(some);
  };
  for await (const batch of applyInBatches(uniqueIds, remove, catalogStore.batchMs)) outcomes.push(...batch);
  return uniqueIds.map((id, at) => ({ id, outcome: outcomes[at] === "removed" ? "removed" : "absent" }));
}

interface DeleteProductDeps {
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
