import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeliveryTask, WaitingWebhook } from "@product-search/core/ports/delivery-queue.ts";
import type { MemoryDatabase, MemoryDelivery, MemoryWebhook } from "../database/memory/memory.ts";
import type { TakenElsewhere } from "./room.ts";

const unreadableKey =
  "Nothing was sent: the signing key of this webhook cannot be read. Rotate the key, or ask the operator.";

export function createMemoryLeases({ tables }: MemoryDatabase, clock: Clock) {
  const { deliveries, webhooks, events } = tables;
  const freeOf = (webhook: number) =>
    deliveries
      .entries()
      .filter(([, one]) => one.webhook === webhook && one.status === "pending" && one.worker === undefined);

  /** Voids the deliveries of a disabled webhook, then clears the mark of its disabling. */
  function voidDeliveries(key: number, webhook: MemoryWebhook): MemoryWebhook {
    if (webhook.voidThrough === 0) return webhook;
    const isVoid = (row: number) => row <= webhook.voidThrough;
    for (const [row, delivery] of freeOf(key))
      if (isVoid(row)) deliveries.set(row, { ...delivery, status: "failed" });
    if (deliveries.find((one, row) => one.webhook === key && one.worker !== undefined && isVoid(row)))
      return webhook;
    const forgotten = { ...webhook, voidThrough: 0 };
    webhooks.set(key, forgotten);
    return forgotten;
  }

  function toTask(row: number, delivery: MemoryDelivery, waiting: WaitingWebhook): DeliveryTask[] {
    const event = events.get(delivery.event);
    const webhook = webhooks.get(waiting.key);
    if (event === undefined || webhook === undefined) return [];
    const { attempts, failures } = delivery;
    return [
      {
        key: row,
        webhook: waiting,
        url: webhook.record.url,
        eventId: event.id,
        body: event.body,
        ...signingKeysOf(webhook, clock.now()),
        test: delivery.kind === "test",
        attempt: attempts.length - failures + 1,
        failures,
      },
    ];
  }

  return {
    waiting: (): WaitingWebhook[] =>
      webhooks.entries().flatMap(([key, { record, isDeleted, failingSinceMs, voidThrough }]) => {
        const free = isDeleted ? [] : freeOf(key);
        const isDue = free.some(([, { dueAtMs }]) => voidThrough > 0 || dueAtMs <= clock.now());
        return isDue ? [{ key, accountId: record.accountId, failing: failingSinceMs !== undefined }] : [];
      }),

    /** One row for each delivery in progress at another worker. */
    takenElsewhere: (self: string): TakenElsewhere[] =>
      deliveries.entries().flatMap(([, { webhook, worker }]) => {
        const accountId = webhooks.get(webhook)?.record.accountId;
        if (worker === undefined || worker === self || accountId === undefined) return [];
        return [{ webhook, accountId, tasks: 1 }];
      }),

    take(waiting: WaitingWebhook, count: number, worker: string): DeliveryTask[] {
      const webhook = webhooks.get(waiting.key);
      if (webhook === undefined || webhook.isDeleted) return [];
      const { voidThrough } = voidDeliveries(waiting.key, webhook);
      const due = freeOf(waiting.key)
        .filter(([row, { dueAtMs }]) => row > voidThrough && dueAtMs <= clock.now())
        .sort(([, one], [, other]) => one.dueAtMs - other.dueAtMs)
        .slice(0, count);
      for (const [row, delivery] of due) deliveries.set(row, { ...delivery, worker });
      return due.flatMap(([row, delivery]) => toTask(row, delivery, waiting));
    },
  };
}

/** The signing keys, newest first. A former one that cannot be read is left out: it was rotated because of that. */
function signingKeysOf(
  { key, formerKeys }: MemoryWebhook,
  nowMs: number,
): Pick<DeliveryTask, "signingKeys" | "fault"> {
  if (key === undefined) return { signingKeys: [], fault: unreadableKey };
  const valid = formerKeys.filter(({ untilMs }) => untilMs > nowMs);
  return { signingKeys: [key, ...valid.flatMap((former) => former.key ?? [])] };
}
