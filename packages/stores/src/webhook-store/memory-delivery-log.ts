import type {
  DeliveryRecord,
  WebhookReference,
  WebhookStore,
} from "@product-search/core/ports/webhook-store.ts";
import type { MemoryDatabase, MemoryDelivery, MemoryWebhook } from "../database/memory/memory.ts";
import { addDelivery, addEvent, type NewDelivery } from "../database/memory/memory-outbox.ts";
import { findWebhook, type MemoryWebhookStoreSettings } from "./memory-webhooks.ts";

type DeliveryLog = Pick<
  WebhookStore,
  "listDeliveries" | "findDelivery" | "queueTest" | "queueReplay" | "countPending"
>;

/** The deliveries of one webhook, including those sent on request. */
export function createMemoryDeliveryLog({ database, clock, newId }: MemoryWebhookStoreSettings): DeliveryLog {
  const { deliveries, webhooks } = database.tables;

  function findRow(reference: WebhookReference, deliveryId: string): [number, MemoryDelivery] | undefined {
    const found = findWebhook(database, reference);
    if (found === undefined) return undefined;
    return deliveries.find(({ id, webhook }) => id === deliveryId && webhook === found[0]);
  }
  function queue(delivery: Omit<NewDelivery, "id" | "nowMs">): DeliveryRecord | undefined {
    const row = addDelivery(database, { ...delivery, id: newId("dl_"), nowMs: clock.now() });
    return toRecord(database, row);
  }

  return {
    async listDeliveries(reference, { limit, before = Number.MAX_SAFE_INTEGER }) {
      const found = findWebhook(database, reference);
      if (found === undefined) return undefined;
      const rows = deliveries
        .entries()
        .filter(([row, { webhook }]) => webhook === found[0] && row < before)
        .map(([row]) => row)
        .sort((one, other) => other - one);
      const next = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        deliveries: rows.slice(0, limit).flatMap((row) => toRecord(database, row) ?? []),
        ...(next !== undefined && { next }),
      };
    },
    async findDelivery(reference, deliveryId) {
      const found = findRow(reference, deliveryId);
      return found && toRecord(database, found[0]);
    },
    queueTest: (reference, body) =>
      database.transact(() => {
        const found = findWebhook(database, reference);
        if (found === undefined) return undefined;
        const [webhook, { record }] = found;
        const event = { id: newId("ev_"), type: record.type, body, createdAtMs: clock.now() };
        return queue({ webhook, event: addEvent(database, event), kind: "test" });
      }),
    queueReplay: (reference, deliveryId) =>
      database.transact(() => {
        const found = findRow(reference, deliveryId);
        if (found === undefined) return undefined;
        const { webhook, event, kind } = found[1];
        return queue({ webhook, event, kind: kind === "test" ? "test" : "replay", replayOf: deliveryId });
      }),
    countPending: async () =>
      deliveries.entries().filter(([row, delivery]) => {
        const webhook = webhooks.get(delivery.webhook);
        return (
          webhook !== undefined &&
          !webhook.isDeleted &&
          delivery.worker === undefined &&
          statusOf(row, delivery, webhook) === "pending"
        );
      }).length,
  };
}

/** A voided delivery is marked later, but already counts as failed. */
function statusOf(
  row: number,
  { status }: MemoryDelivery,
  { voidThrough }: MemoryWebhook,
): DeliveryRecord["status"] {
  return status === "pending" && row <= voidThrough ? "failed" : status;
}

function toRecord({ tables }: MemoryDatabase, row: number): DeliveryRecord | undefined {
  const delivery = tables.deliveries.get(row);
  const event = delivery && tables.events.get(delivery.event);
  const webhook = delivery && tables.webhooks.get(delivery.webhook);
  if (!delivery || !event || !webhook) return undefined;
  const status = statusOf(row, delivery, webhook);
  return {
    id: delivery.id,
    eventId: event.id,
    type: event.type,
    body: event.body,
    test: delivery.kind === "test",
    status,
    createdAtMs: delivery.createdAtMs,
    ...(status === "pending" && { nextAttemptAtMs: delivery.dueAtMs }),
    ...(delivery.replayOf !== undefined && { replayOf: delivery.replayOf }),
    attempts: [...delivery.attempts],
  };
}
