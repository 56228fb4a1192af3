import type { Clock } from "@product-search/core/ports/clock.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";
import { removeLetter } from "../database/memory/memory-letters.ts";

/** Removes old rows and those of deleted webhooks, except deliveries in progress. */
export function createMemoryPurge(database: MemoryDatabase, clock: Clock): (beforeMs: number) => boolean {
  const { deliveries, events, webhooks } = database.tables;

  function purgeDeliveries(beforeMs: number): number {
    const gone = deliveries
      .entries()
      .filter(([, one]) => one.createdAtMs < beforeMs || webhooks.get(one.webhook)?.isDeleted !== false)
      .filter(([, { worker }]) => worker === undefined);
    for (const [row, { id }] of gone) {
      deliveries.delete(row);
      removeLetter(database, "deliveries", id);
    }
    return gone.length;
  }

  function purgeEvents(beforeMs: number): number {
    const used = new Set(deliveries.values().map(({ event }) => event));
    const gone = events.entries().filter(([row, one]) => one.createdAtMs < beforeMs && !used.has(row));
    for (const [row] of gone) events.delete(row);
    return gone.length;
  }

  function purgeWebhooks(): number {
    const used = new Set(deliveries.values().map(({ webhook }) => webhook));
    const gone = webhooks.entries().filter(([row, { isDeleted }]) => isDeleted && !used.has(row));
    for (const [row] of gone) webhooks.delete(row);
    for (const [row, webhook] of webhooks.entries()) {
      const formerKeys = webhook.formerKeys.filter(({ untilMs }) => untilMs > clock.now());
      if (formerKeys.length < webhook.formerKeys.length) webhooks.set(row, { ...webhook, formerKeys });
    }
    return gone.length;
  }

  return (beforeMs) => purgeDeliveries(beforeMs) + purgeEvents(beforeMs) + purgeWebhooks() > 0;
}
