import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import {
  type ImportJournal,
  type SealedImport,
  type StagedRow,
  type StagingArea,
  StagingDamaged,
  type StagingFile,
} from "@product-search/core/ports/imports.ts";
import { applyInBatches } from "../apply-in-batches.ts";
import { applyToAbsent } from "./absent-products.ts";
import { applyRun, type RowOutcome } from "./apply-run.ts";
import type { ImportStep } from "./import-summary.ts";

export interface RollForwardDeps {
  catalogStore: CatalogStore;
  importJournal: ImportJournal;
  stagingArea: StagingArea;
}

/** An import that was read whole can never be finished. It was removed from the journal. */
export class ImportDiscardedError extends Error {
  override readonly name = "ImportDiscardedError";
}

export type Applied = Record<Exclude<RowOutcome, "refused"> | "outOfStock" | "removedAbsent", number>;

/**
 * Applies the rest of a feed that was read completely, and removes its staging file. The caller must hold the lease. If
 * a feed whose fetching began later was imported meanwhile, products that have changed since then are left as they are.
 * If the staging file is gone or damaged, the rest is lost: it is discarded, and this fails with `ImportDiscardedError`.
 */
export async function rollForward(
  deps: RollForwardDeps,
  sealed: SealedImport,
  onStep: (step: Omit<ImportStep, "phase">) => void,
  signal: AbortSignal,
): Promise<Applied> {
  const { importJournal, stagingArea } = deps;
  const applied: Applied = {
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    removed: 0,
    notFound: 0,
    outdated: 0,
    outOfStock: 0,
    removedAbsent: 0,
  };
  let staging: StagingFile | undefined;
  try {
    staging = await stagingArea.open(sealed.stagingFile);
    if (staging === undefined) return await discard(deps, sealed, "is gone");
    const newestStartMs = await importJournal.newestStart(sealed.source);
    const isNewest = newestStartMs === undefined || newestStartMs <= sealed.startedAtMs;
    const notAfterMs = isNewest ? undefined : sealed.startedAtMs;
    await applyRows(deps, sealed, staging, applied, notAfterMs, onStep, signal);
    await applyToAbsent(deps, sealed, staging, applied, notAfterMs, signal);
  } catch (cause) {
    if (!(cause instanceof StagingDamaged)) throw cause;
    return await discard(deps, sealed, "is damaged", cause);
  } finally {
    staging?.close();
  }
  await importJournal.finish(applied.outdated === 0);
  await stagingArea.remove(sealed.stagingFile);
  return applied;
}

async function discard(
  { importJournal, stagingArea }: RollForwardDeps,
  { stagingFile, source }: SealedImport,
  fault: string,
  cause?: unknown,
): Promise<never> {
  await importJournal.discard();
  await stagingArea.remove(stagingFile);
  throw new ImportDiscardedError(
    `The staging file ${stagingFile} of an interrupted import into ${source} ${fault}, so this import is discarded. Import the feed again.`,
    { cause },
  );
}

async function applyRows(
  { catalogStore, importJournal: { owner } }: RollForwardDeps,
  { position, startedAtMs }: SealedImport,
  staging: StagingFile,
  applied: Applied,
  notAfterMs: number | undefined,
  onStep: (step: Omit<ImportStep, "phase">) => void,
  signal: AbortSignal,
): Promise<void> {
  const total = await staging.countAfter(position);
  let done = 0;
  const apply = (rows: readonly StagedRow[]) => {
    signal.throwIfAborted();
    return applyRun(catalogStore, rows, { owner, startedAtMs }, notAfterMs);
  };
  for await (const outcomes of applyInBatches(staging.rowsAfter(position), apply, catalogStore.batchMs)) {
    for (const outcome of outcomes) applied[outcome === "refused" ? "failed" : outcome] += 1;
    done += outcomes.length;
    onStep({ done, total });
  }
}
