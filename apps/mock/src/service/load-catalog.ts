import { sampleProductInputs } from "@product-search/sample-catalog/sample-products.ts";
import { createMemoryCatalogStore } from "@product-search/stores/catalog-store/memory.ts";
import type { MemoryDatabase } from "@product-search/stores/database/memory/memory.ts";
import { changeProduct } from "./change-product.ts";
import { currency, productCount } from "./settings.ts";
import type { MadeChange } from "./state-file.ts";

/** Puts the sample catalog into the database, as it was at that moment, and makes the changes once more. */
export async function loadCatalog(
  database: MemoryDatabase,
  startedAtMs: number,
  changes: readonly MadeChange[],
): Promise<void> {
  let nowMs = startedAtMs;
  const store = createMemoryCatalogStore({ database, clock: { now: () => nowMs }, outbox: () => {} });
  await store.apply([...sampleProductInputs(productCount, { currency, nowMs })]);
  for (const { atMs, ...change } of changes) {
    nowMs = atMs;
    await changeProduct(store, change);
  }
}
