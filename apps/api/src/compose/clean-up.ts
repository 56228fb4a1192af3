import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { Leading } from "@product-search/core/ports/leases.ts";
import { deliveriesKeptForMs } from "@product-search/features/webhooks/delivery/delivery-worker.ts";
import { type Config, maxAnalyticsDays } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

const hourMs = 3600 * 1000;
const dayMs = 24 * hourMs;
const minuteMs = 60_000;
/** Of the audit log. */
const addressesKeptForMs = 30 * dayMs;
/** Small enough for a transaction of a few milliseconds. */
const batchSize = 200;
const pauseMs = 10;

/** Purges what has expired, on one node at a time. */
export function composeCleanup(
  { analyticsDays }: Pick<Config, "analyticsDays">,
  { leases, cleanup, clock }: Pick<Stores, "leases" | "cleanup" | "clock">,
  onError: (error: unknown) => void,
): Leading {
  return leases.lead("cleanup", async (lease) => {
    const { idempotencyStore, uploadedImageStore, writtenProducts, insightStore, auditLog, deliveryQueue } =
      cleanup(lease);
    const analyticsMs = (analyticsDays || maxAnalyticsDays) * dayMs;
    const repeat = (everyMs: number, purge: () => Promise<boolean>) =>
      repeatPurge(purge, everyMs, onError, lease.signal);
    await Promise.all([
      repeat(hourMs, async () => (await idempotencyStore.removeExpired(batchSize)) > 0),
      repeat(hourMs, async () => (await writtenProducts.removeExpired(batchSize)) > 0),
      repeat(hourMs, () => insightStore.removeBefore(clock.now() - analyticsMs, batchSize)),
      repeat(hourMs, async () => {
        const beforeMs = clock.now() - addressesKeptForMs;
        return (await auditLog.removeAddresses(beforeMs, batchSize)) > 0;
      }),
      repeat(minuteMs, async () => (await uploadedImageStore.removeExpired(batchSize)) > 0),
      repeat(minuteMs, async () => (await deliveryQueue?.purge(clock.now() - deliveriesKeptForMs)) ?? false),
    ]);
  });
}

/** A failed purge is repeated later, and does not stop the others. */
async function repeatPurge(
  purge: () => Promise<boolean>,
  everyMs: number,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let hasMore = false;
    try {
      hasMore = await purge();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await pause(hasMore ? pauseMs : everyMs, signal);
  }
}
