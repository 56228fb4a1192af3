import type { Clock } from "@product-search/core/ports/clock.ts";
import type { WebhookReference } from "@product-search/core/ports/webhook-store.ts";
import type { MemoryDatabase, MemoryWebhook } from "../database/memory/memory.ts";
import type { NewId } from "../database/memory/memory-outbox.ts";

export interface MemoryWebhookStoreSettings {
  database: MemoryDatabase;
  clock: Clock;
  newId: NewId;
}

/** A webhook of another account does not exist here, nor does a deleted one. */
export function findWebhook(
  { tables }: MemoryDatabase,
  { accountId, webhookId }: WebhookReference,
): [number, MemoryWebhook] | undefined {
  return tables.webhooks.find(
    ({ record, isDeleted }) => !isDeleted && record.id === webhookId && record.accountId === accountId,
  );
}
