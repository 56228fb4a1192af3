import { setTimeout } from "node:timers/promises";
import type { ProductSource, StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import {
  type ImportJournal,
  isDiskFull,
  type LeaseHolder,
  type SealedImport,
  type StagedRow,
  type StagingArea,
  StagingDamaged,
  type StagingFile,
} from "@product-search/core/ports/imports.ts";
import { applyInBatches } from "../apply-in-batches.ts";
import { applyRun, applyTolerantly, type RowOutcome } from "./apply-run.ts";
import type { ImportStep } from "./import-summary.ts";

/** Finishes the import of a dead process, if there is one and nobody else is working on it. */
export async function resumeImport(deps: RollForwardDeps, signal: AbortSignal): Promise<Applied | undefined> {
  const source = await deps.importJournal.findUnfinished();
  if (source === undefined) return undefined;
  const label = "an import that was left behind";
  return withLease(
    deps.importJournal,
    source,
    label,
    () => {},
    signal,
    async (unfinished) => unfinished && rollForward(deps, unfinished, () => {}, signal),
  );
}

/**
 * Gives up an import that was read whole but is not finished, for example because the disk is full. What it has changed
 * stays. Waits for a process that is applying it. Undefined if there is none into the source.
 */
export async function discardImport(
  deps: Pick<RollForwardDeps, "importJournal" | "stagingArea">,
  source: ProductSource,
  onWait: (holder: LeaseHolder) => void,
  signal: AbortSignal,
): Promise<SealedImport | undefined> {
  const { importJournal, stagingArea } = deps;
  const sealedFiles = (await importJournal.sealedFiles()).filter((name) => name.startsWith(`${source}.`));
  const discard = () =>
    withLease(
      importJournal,
      source,
      "an import that is being discarded",
      onWait,
      signal,
      async (unfinished) => {
        if (unfinished === undefined) return undefined;
        await importJournal.discard();
        await stagingArea.remove(unfinished.stagingFile);
        return unfinished;
      },
    );
  try {
    return await discard();
  } catch (error) {
    if (!isDiskFull(error) || sealedFiles.length === 0) throw error;
    // Even the lease cannot be written. Without its file, the import can only be discarded.
    for (const name of sealedFiles) await stagingArea.remove(name);
    return discard();
  }
}

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

export interface AbsentProductsDeps {
  catalogStore: CatalogStore;
  importJournal: Pick<ImportJournal, "owner">;
}

const scanPage = 500;

/**
 * Handles products that the feed does not list, as the import asks (out of stock or deleted). A crash is harmless: products
 * that were already handled are skipped the next time. Those that were changed after `notAfterMs` are not touched.
 */
async function applyToAbsent(
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

const renewalsPerLease = 8;
const askAgainMs = 1000;

/** Does the work while no one else applies an import into the source. Waits for a running one. */
export async function withLease<Result>(
  journal: ImportJournal,
  source: ProductSource,
  label: string,
  onWait: (holder: LeaseHolder) => void,
  signal: AbortSignal,
  work: (unfinished: SealedImport | undefined) => Promise<Result>,
): Promise<Result> {
  const { leaseMs } = journal;
  for (;;) {
    const lease = await journal.acquire(source, label, leaseMs);
    if (lease.acquired) {
      // If a renewal fails, the next step of the work detects the lost lease.
      const renewing = setInterval(
        () => void journal.renew(leaseMs).catch(() => {}),
        leaseMs / renewalsPerLease,
      );
      try {
        return await work(lease.unfinished);
      } finally {
        clearInterval(renewing);
        // On a full disk or without the database the release fails too. That does not change what the work has done; the
        // lease ends with the process or expires.
        await journal.release().catch(() => {});
      }
    }
    onWait(lease.holder);
    await setTimeout(askAgainMs, undefined, { signal });
  }
}
