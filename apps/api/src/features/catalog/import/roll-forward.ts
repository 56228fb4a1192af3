import type { CatalogStore } from "../../../ports/catalog-store.ts";
import type { ImportJournal, SealedImport } from "../../../ports/import-journal.ts";
import {
  type StagedRow,
  type StagingArea,
  StagingDamaged,
  type StagingFile,
} from "../../../ports/staging.ts";
import { applyPaced } from "../apply-paced.ts";
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

export type Applied = Record<RowOutcome | "outOfStock" | "removedAbsent", number>;

/**
 * Applies the rest of a feed that was read completely, and removes its staging file. The caller must hold the lease.
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
    outOfStock: 0,
    removedAbsent: 0,
  };
  let staging: StagingFile | undefined;
  try {
    staging = await stagingArea.open(sealed.stagingFile);
    if (staging === undefined) return await discard(importJournal, sealed, "is gone");
    await applyRows(deps, sealed, staging, applied, onStep, signal);
    await applyToAbsent(deps, sealed, staging, applied, signal);
  } catch (cause) {
    if (!(cause instanceof StagingDamaged)) throw cause;
    return await discard(importJournal, sealed, "is damaged", cause);
  } finally {
    staging?.close();
  }
  await importJournal.finish();
  await stagingArea.clear();
  return applied;
}

async function discard(
  journal: ImportJournal,
  { stagingFile, source }: SealedImport,
  fault: string,
  cause?: unknown,
): Promise<never> {
  await journal.discard();
  throw new ImportDiscardedError(
    `The staging file ${stagingFile} of an interrupted import into ${source} ${fault}, so this import is discarded. Import the feed again.`,
    { cause },
  );
}

async function applyRows(
  { catalogStore, importJournal: { owner } }: RollForwardDeps,
  { position }: SealedImport,
  staging: StagingFile,
  applied: Applied,
  onStep: (step: Omit<ImportStep, "phase">) => void,
  signal: AbortSignal,
): Promise<void> {
  const total = await staging.countAfter(position);
  let done = 0;
  const apply = (rows: readonly StagedRow[]) => {
    signal.throwIfAborted();
    return applyRun(catalogStore, rows, owner);
  };
  for await (const outcomes of applyPaced(staging.rowsAfter(position), apply, catalogStore.pace)) {
    for (const outcome of outcomes) applied[outcome] += 1;
    done += outcomes.length;
    onStep({ done, total });
  }
}
