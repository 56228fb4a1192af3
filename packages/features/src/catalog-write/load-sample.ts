import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { applyInBatches } from "./apply-in-batches.ts";

/** Puts sample products into the store. Existing ones do not change. */
export async function loadSample(
  { catalogStore }: { catalogStore: Pick<CatalogStore, "apply" | "batchMs"> },
  products: Iterable<ProductInput>,
  onProgress: (loaded: number) => void = () => {},
): Promise<{ created: number; updated: number; unchanged: number }> {
  const result = { created: 0, updated: 0, unchanged: 0 };
  let loaded = 0;
  for await (const outcomes of applyInBatches(
    products,
    (batch) => catalogStore.apply(batch),
    catalogStore.batchMs,
  )) {
    // Nothing is outdated: it is no import of a feed.
    for (const outcome of outcomes) if (outcome !== "outdated") result[outcome] += 1;
    loaded += outcomes.length;
    onProgress(loaded);
  }
  return result;
}
