import { namedIds } from "@product-search/core/domain/identity.ts";
import { type Presentation, priceHistoryLimit } from "@product-search/core/domain/mapping/to-product.ts";
import {
  eventTypesOf,
  type ProductChange,
  toWebhookEvent,
  type WebhookType,
} from "@product-search/core/domain/webhook-event.ts";
import type { NewId } from "../random-id.ts";
import type { MemoryDatabase, MemoryDelivery, MemoryWebhook } from "./memory.ts";

export interface MemoryOutboxSettings {
  database: MemoryDatabase;
  presentation: Presentation;
  newId: NewId;
}

/** Writes the events of a change and their deliveries, inside the transaction of the change. */
export function createMemoryOutbox({ database, presentation, newId }: MemoryOutboxSettings) {
  const { tables } = database;
  return (change: ProductChange, atMs: number): void => {
    for (const type of eventTypesOf(change)) {
      const wanted = tables.webhooks
        .entries()
        .filter(([, webhook]) => isWanted(database, webhook, type, change));
      if (wanted.length === 0) continue;
      const history = (tables.prices.get(change.current.rowId) ?? []).slice(-priceHistoryLimit);
      const body = JSON.stringify(toWebhookEvent(type, change, history, atMs, presentation));
      const event = addEvent(database, { id: newId("ev_"), type, body, createdAtMs: atMs });
      for (const [webhook] of wanted)
        addDelivery(database, { id: newId("dl_"), webhook, event, kind: "event", nowMs: atMs });
    }
  };
}

function isWanted(
  { tables }: MemoryDatabase,
  { record, isDeleted }: MemoryWebhook,
  type: WebhookType,
  { current }: ProductChange,
): boolean {
  const { id, groupId, key } = current;
  const isOwnKey =
    namedIds(key).find((named) => named === id || tables.productRows.get(named) !== undefined) === id;
  return (
    !isDeleted &&
    record.disabled === undefined &&
    record.type === type &&
    (record.productIds?.some(
      (tracked) => tracked === id || tracked === groupId || (isOwnKey && tracked === key),
    ) ??
      true)
  );
}

export function addEvent(
  { tables, next }: MemoryDatabase,
  event: { id: string; type: WebhookType; body: string; createdAtMs: number },
): number {
  const row = next("events");
  tables.events.set(row, event);
  return row;
}

export interface NewDelivery extends Pick<MemoryDelivery, "id" | "webhook" | "event" | "kind" | "replayOf"> {
  nowMs: number;
}

/** A delivery that is due now. */
export function addDelivery({ tables, next }: MemoryDatabase, { nowMs, ...given }: NewDelivery): number {
  const row = next("deliveries");
  tables.deliveries.set(row, {
    ...given,
    status: "pending",
    createdAtMs: nowMs,
    dueAtMs: nowMs,
    attempts: [],
    failures: 0,
  });
  return row;
}
