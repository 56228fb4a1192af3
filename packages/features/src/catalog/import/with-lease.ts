import { setTimeout } from "node:timers/promises";
import type { ProductSource } from "@product-search/core/domain/product.ts";
import type { ImportJournal, LeaseHolder, SealedImport } from "@product-search/core/ports/imports.ts";

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
