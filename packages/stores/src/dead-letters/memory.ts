import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeadLetters, RetryOutcome } from "@product-search/core/ports/dead-letters.ts";
import type { MemoryDatabase, MemoryLetter } from "../database/memory/memory.ts";

export function createMemoryDeadLetters({
  database,
  clock,
}: {
  database: MemoryDatabase;
  clock: Clock;
}): DeadLetters {
  const { letters } = database.tables;
  const findById = (id: string) => letters.find((letter) => letter.id === id);
  return {
    async list({ limit, before = Number.MAX_SAFE_INTEGER }) {
      const newest = letters
        .entries()
        .filter(([row]) => row < before)
        .sort(([one], [other]) => other - one);
      const last = newest[limit - 1];
      return {
        letters: newest.slice(0, limit).map(([, { input: _, ...letter }]) => letter),
        ...(newest.length > limit && last !== undefined && { next: last[0] }),
      };
    },
    inputOf: async (id) => findById(id)?.[1].input,
    retry: (id) =>
      database.transact((): RetryOutcome => {
        const found = findById(id);
        if (found === undefined) return "absent";
        const [row, letter] = found;
        const outcome = requeue(database, letter, clock.now());
        if (outcome !== "disabled") letters.delete(row);
        return outcome;
      }),
    async count() {
      const counts = { deliveries: 0, imports: 0, pictures: 0, products: 0 };
      for (const { queue } of letters.values()) counts[queue] += 1;
      return counts;
    },
  };
}

function requeue(database: MemoryDatabase, { queue, item }: MemoryLetter, nowMs: number): RetryOutcome {
  if (queue === "imports") throw new Error("A product that could not be applied is retried by applying it.");
  // In memory, products and images cannot become unreadable.
  return queue === "deliveries" ? requeueDelivery(database, item, nowMs) : "obsolete";
}

/** The same delivery, due at once: its list of attempts stays. */
function requeueDelivery({ tables }: MemoryDatabase, id: string, nowMs: number): RetryOutcome {
  const [row, delivery] = tables.deliveries.find((one) => one.id === id && one.status === "failed") ?? [];
  if (row === undefined || delivery === undefined) return "obsolete";
  const webhook = tables.webhooks.get(delivery.webhook);
  if (webhook === undefined || webhook.isDeleted) return "obsolete";
  if (webhook.record.disabled !== undefined) return "disabled";
  if (row <= webhook.voidThrough) {
    // The mark of an earlier disabling must stay while there are deliveries that it voids.
    const isNeeded = tables.deliveries.find(
      (one, other) =>
        one.webhook === delivery.webhook && one.status === "pending" && other <= webhook.voidThrough,
    );
    if (isNeeded) return "disabled";
    tables.webhooks.set(delivery.webhook, { ...webhook, voidThrough: 0 });
  }
  tables.deliveries.set(row, { ...delivery, status: "pending", dueAtMs: nowMs });
  return "retried";
}
