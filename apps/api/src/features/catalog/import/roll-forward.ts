import type { ProductInput, ProductSource } from "../../../domain/product.ts";
import {
  type CatalogStore,
  type EachOutcome,
  ImportLeaseLostError,
  type ImportProgress,
} from "../../../ports/catalog-store.ts";
import type { ImportJournal, SealedImport } from "../../../ports/import-journal.ts";
import {
  type StagedRow,
  type StagingArea,
  StagingDamaged,
  type StagingFile,
} from "../../../ports/staging.ts";
import { applyPaced } from "../apply-paced.ts";
import type { ImportStep } from "./import-summary.ts";

export interface RollForwardDeps {
  catalogStore: CatalogStore;
  importJournal: ImportJournal;
  stagingArea: StagingArea;
}

export type Applied = Record<EachOutcome | "outOfStock", number>;

const scanPage = 500;

/**
 * Applies what is left of a feed that was read whole, and forgets it. Whoever does it needs the lease. Undefined when
 * the staging file is gone: then nothing can be known of the rest. Fails when it is damaged, and forgets it too.
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
  const applied: Applied = { created: 0, updated: 0, unchanged: 0, failed: 0, outOfStock: 0 };
  try {
    await applyRows(deps, sealed, staging, applied, onStep, signal);
    if (sealed.isFull) await emptyStockOfAbsent(deps, sealed, staging, applied, signal);
  } catch (cause) {
    if (!(cause instanceof StagingDamaged)) throw cause;
    await importJournal.discard();
    throw new StagingDamaged(
      `What was left of an import into ${sealed.source} is damaged in its file ${sealed.stagingFile}, and is given up. Import the feed again.`,
      { cause },
    );
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
    return applyTolerantly(catalogStore, inputs, { owner, position: rows.at(-1)?.position ?? position });
  };
  for await (const outcomes of applyPaced(staging.rowsAfter(position), apply)) {
    for (const outcome of outcomes) applied[outcome] += 1;
    done += outcomes.length;
    onStep({ done, total });
  }
}

/** All at once, which is fast; when that fails each by itself, so that one bad product does not stop an import. */
async function applyTolerantly(
  catalogStore: CatalogStore,
  inputs: readonly ProductInput[],
  progress: ImportProgress,
): Promise<EachOutcome[]> {
  try {
    return await catalogStore.apply(inputs, progress);
  } catch (error) {
    if (error instanceof ImportLeaseLostError) throw error;
    return catalogStore.applyEach(inputs, progress);
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
    return applyTolerantly(catalogStore, inputs, { owner, position: Number.MAX_SAFE_INTEGER });
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
