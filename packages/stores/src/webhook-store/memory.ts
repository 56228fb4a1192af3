import type {
  KeyRotation,
  NewWebhook,
  RotationOutcome,
  WebhookRecord,
  WebhookReference,
  WebhookStore,
} from "@product-search/core/ports/webhook-store.ts";
import type { MemoryWebhook } from "../database/memory/memory.ts";
import { createMemoryDeliveryLog } from "./memory-delivery-log.ts";
import { findWebhook, type MemoryWebhookStoreSettings } from "./memory-webhooks.ts";

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
