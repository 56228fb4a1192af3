import type { ProductInput, ProductSource } from "../../../domain/product.ts";
import type { ApplyOutcome, CatalogStore } from "../../../ports/catalog-store.ts";
import type { ImportJournal, SealedImport } from "../../../ports/import-journal.ts";
import type { StagedRow, StagingArea, StagingFile } from "../../../ports/staging.ts";
import { applyPaced } from "../apply-paced.ts";
import type { ImportStep } from "./import-summary.ts";

export interface RollForwardDeps {
  catalogStore: CatalogStore;
  importJournal: ImportJournal;
  stagingArea: StagingArea;
}

export type Applied = Record<ApplyOutcome | "outOfStock", number>;

const scanPage = 500;

/**
 * Applies what is left of a feed that was read whole, and forgets it. Whoever does it needs the claim. Undefined when
 * the staging file is gone: then nothing can be known of the rest.
 */
export async function rollForward(
  deps: RollForwardDeps,
  sealed: SealedImport,
  onStep: (step: Omit<ImportStep, "phase">) => void,
  signal: AbortSignal,
): Promise<Applied | undefined> {
  const { importJournal, stagingArea } = deps;
  const staging = await stagingArea.open(sealed.stagingFile);
  if (staging === undefined) {
    await importJournal.discard();
    return undefined;
  }
  const applied: Applied = { created: 0, updated: 0, unchanged: 0, outOfStock: 0 };
  try {
    await applyRows(deps, sealed, staging, applied, onStep, signal);
    if (sealed.isFull) await emptyStockOfAbsent(deps, sealed, staging, applied, signal);
  } finally {
    staging.close();
  }
  await importJournal.finish();
  await stagingArea.clear();
  return applied;
}

async function applyRows(
  { catalogStore, importJournal: { owner } }: RollForwardDeps,
  { position }: SealedImport,
  staging: StagingFile,
  applied: Applied,
  onStep: (step: Omit<ImportStep, "phase">) => void,
  signal: AbortSignal,
): Promise<void> {
  const total = staging.countAfter(position);
  let done = 0;
  const apply = (rows: readonly StagedRow[]) => {
    signal.throwIfAborted();
    const inputs = rows.map((row) => row.input);
    return catalogStore.apply(inputs, { owner, position: rows.at(-1)?.position ?? position });
  };
  for await (const outcomes of applyPaced(staging.rowsAfter(position), apply)) {
    for (const outcome of outcomes) applied[outcome] += 1;
    done += outcomes.length;
    onStep({ done, total });
  }
}

/** A crash in here is harmless: what is out of stock already is passed over the next time. */
async function emptyStockOfAbsent(
  { catalogStore, importJournal: { owner } }: RollForwardDeps,
  { source }: SealedImport,
  staging: StagingFile,
  applied: Applied,
  signal: AbortSignal,
): Promise<void> {
  const apply = (inputs: readonly ProductInput[]) => {
    signal.throwIfAborted();
    return catalogStore.apply(inputs, { owner, position: Number.MAX_SAFE_INTEGER });
  };
  for await (const outcomes of applyPaced(absentProducts(catalogStore, source, staging), apply)) {
    applied.outOfStock += outcomes.filter((outcome) => outcome === "updated").length;
  }
}

async function* absentProducts(
  catalogStore: CatalogStore,
  source: ProductSource,
  staging: StagingFile,
): AsyncGenerator<ProductInput> {
  for (let after = 0; ; ) {
    const page = await catalogStore.scan(after, scanPage);
    for (const product of page) {
      const isAbsent = product.source === source && !staging.has(source, product.key);
      if (isAbsent && product.availability !== "out_of_stock")
        yield { ...product, availability: "out_of_stock" };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.rowId;
  }
}
