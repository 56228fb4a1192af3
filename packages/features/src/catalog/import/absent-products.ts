import type { ProductSource, StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { ImportJournal, SealedImport, StagingFile } from "@product-search/core/ports/imports.ts";
import { applyInBatches } from "../apply-in-batches.ts";
import { applyTolerantly } from "./apply-run.ts";

export interface AbsentProductsDeps {
  catalogStore: CatalogStore;
  importJournal: Pick<ImportJournal, "owner">;
}

const scanPage = 500;

/**
 * Handles products that the feed does not list, as the import asks (out of stock or deleted). A crash is harmless: products
 * that were already handled are skipped the next time. Those that were changed after `notAfterMs` are not touched.
 */
export async function applyToAbsent(
  { catalogStore, importJournal: { owner } }: AbsentProductsDeps,
  { source, absent, startedAtMs }: SealedImport,
  staging: StagingFile,
  applied: { outOfStock: number; removedAbsent: number; outdated: number },
  notAfterMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (absent === "keep") return;
  // All rows have already been applied.
  const progress = { owner, position: Number.MAX_SAFE_INTEGER, startedAtMs };
  const apply = async (products: readonly StoredProduct[]) => {
    signal.throwIfAborted();
    const current = products.filter(
      ({ updatedAtMs }) => updatedAtMs <= (notAfterMs ?? Number.POSITIVE_INFINITY),
    );
    applied.outdated += products.length - current.length;
    if (absent !== "out_of_stock")
      return catalogStore.remove(
        current.map(({ id }) => id),
        progress,
      );
    const inputs = current
      .filter(({ availability }) => availability !== "out_of_stock")
      .map((product) => ({ ...product, availability: "out_of_stock" as const }));
    return applyTolerantly(catalogStore, inputs, progress);
  };
  for await (const outcomes of applyInBatches(
    absentProducts(catalogStore, source, staging),
    apply,
    catalogStore.batchMs,
  )) {
    applied.outOfStock += outcomes.filter((outcome) => outcome === "updated").length;
    applied.outdated += outcomes.filter((outcome) => outcome === "outdated").length;
    applied.removedAbsent += outcomes.filter((outcome) => outcome === "removed").length;
  }
}

/** The stored products of the source that the feed does not list. */
export async function* absentProducts(
  catalogStore: Pick<CatalogStore, "scan">,
  source: ProductSource,
  staging: StagingFile,
): AsyncGenerator<StoredProduct> {
  for (let after = 0; ; ) {
    const page = await catalogStore.scan(after, scanPage);
    for (const product of page) {
      if (product.source === source && !staging.has(source, product.key)) yield product;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.rowId;
  }
}
