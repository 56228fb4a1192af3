import type { ProductSource } from "@product-search/core/domain/product.ts";
import { isDiskFull, type LeaseHolder, type SealedImport } from "@product-search/core/ports/imports.ts";
import type { RollForwardDeps } from "./roll-forward.ts";
import { withLease } from "./with-lease.ts";

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
