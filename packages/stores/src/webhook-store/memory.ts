import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  DeliveryRecord,
  KeyRotation,
  NewWebhook,
  RotationOutcome,
  WebhookRecord,
  WebhookReference,
  WebhookStore,
} from "@product-search/core/ports/webhooks.ts";
import type { MemoryDatabase, MemoryDelivery, MemoryWebhook } from "../database/memory/memory.ts";
import type { NewDelivery } from "../database/memory/memory-outbox.ts";
import { addDelivery, addEvent } from "../database/memory/memory-outbox.ts";
import type { NewId } from "../database/random-id.ts";

export function createMemoryWebhookStore(settings: MemoryWebhookStoreSettings): WebhookStore {
  const { database, clock } = settings;
  const { webhooks } = database.tables;
  const find = (reference: WebhookReference) => findWebhook(database, reference);
  const living = (accountId?: string): WebhookRecord[] =>
    webhooks
      .values()
      .filter(({ isDeleted }) => !isDeleted)
      .map(({ record }) => record)
      .filter((record) => accountId === undefined || record.accountId === accountId);

  return {
    ...createMemoryDeliveryLog(settings),

    create: (webhook, limit) =>
      database.transact(() => {
        if (living(webhook.accountId).length >= limit) return undefined;
        const row = toRow(webhook, settings);
        webhooks.set(database.next("webhooks"), row);
        return row.record;
      }),
    find: async (reference) => find(reference)?.[1].record,
    list: async (accountId) => living(accountId).reverse(),
    remove: (reference) =>
      database.transact(() => {
        const found = find(reference);
        if (found === undefined) return false;
        const [row, webhook] = found;
        webhooks.set(row, { ...webhook, isDeleted: true });
        return true;
      }),
    replaceKey: (reference, key, rotation) =>
      database.transact((): RotationOutcome => {
        const found = find(reference);
        if (found === undefined) return undefined;
        const [row, webhook] = found;
        const formerKeys = formerKeysAfter(webhook, rotation, clock.now());
        if ("oldestUntilMs" in formerKeys) return formerKeys;
        webhooks.set(row, { ...webhook, key, formerKeys });
        return { rotated: webhook.record };
      }),
    enable: (reference) =>
      database.transact(() => {
        const found = find(reference);
        if (found === undefined) return undefined;
        const [row, { failingSinceMs: _, ...webhook }] = found;
        const { disabled: __, ...record } = webhook.record;
        webhooks.set(row, { ...webhook, record });
        return record;
      }),
  };
}

function toRow(
  { key, accountId, url, type, productIds }: NewWebhook,
  { clock, newId }: MemoryWebhookStoreSettings,
): MemoryWebhook {
  const record = {
    id: newId("wh_"),
    accountId,
    url,
    type,
    ...(productIds && { productIds: [...productIds] }),
    createdAtMs: clock.now(),
  };
  return { record, key, formerKeys: [], isDeleted: false, voidThrough: 0 };
}

function formerKeysAfter(
  { key, formerKeys }: MemoryWebhook,
  { formerUntilMs, maxKeys, revokeFormer = false }: KeyRotation,
  nowMs: number,
): MemoryWebhook["formerKeys"][number][] | { oldestUntilMs: number } {
  if (revokeFormer) return [];
  const valid = formerKeys.filter(({ untilMs }) => untilMs > nowMs);
  if (valid.length > 0 && valid.length + 2 > maxKeys)
    return { oldestUntilMs: Math.min(...valid.map(({ untilMs }) => untilMs)) };
  return [{ ...(key !== undefined && { key }), untilMs: formerUntilMs }, ...valid];
}

type DeliveryLog = Pick<
  WebhookStore,
  "listDeliveries" | "findDelivery" | "queueTest" | "queueReplay" | "countPending"
>;

/** The deliveries of one webhook, including those sent on request. */
function createMemoryDeliveryLog({ database, clock, newId }: MemoryWebhookStoreSettings): DeliveryLog {
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

interface MemoryWebhookStoreSettings {
  database: MemoryDatabase;
  clock: Clock;
  newId: NewId;
}

/** A webhook of another account does not exist here, nor does a deleted one. */
function findWebhook(
  { tables }: MemoryDatabase,
  { accountId, webhookId }: WebhookReference,
): [number, MemoryWebhook] | undefined {
  return tables.webhooks.find(
    ({ record, isDeleted }) => !isDeleted && record.id === webhookId && record.accountId === accountId,
  );
}
