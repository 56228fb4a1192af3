import { namedIds } from "@product-search/core/domain/identity.ts";
import { type Presentation, priceHistoryLimit } from "@product-search/core/domain/mapping/to-product.ts";
import type { PriceEntry } from "@product-search/core/domain/product.ts";
import {
  eventTypesOf,
  type ProductChange,
  toWebhookEvent,
  type WebhookType,
} from "@product-search/core/domain/webhook-event.ts";
import { type Kysely, sql } from "kysely";
import { activeTraceparent } from "../active-traceparent.ts";
import { randomId } from "../random-id.ts";
import type { Database } from "../schema.ts";
import { newestPrices } from "./postgres-tables.ts";

interface NewEvent {
  type: WebhookType;
  change: ProductChange;
  webhookRowIds: readonly number[];
}

/**
 * Writes the changes' events and one pending delivery for each webhook that tracks them. Call it inside the
 * transaction of the changes, after the products and their price histories are written. Without such a webhook there
 * is no event, because nobody could ever read it.
 */
export async function recordEvents(
  transaction: Kysely<Database>,
  changes: readonly ProductChange[],
  atMs: number,
  presentation: Presentation,
): Promise<void> {
  const events = await wantedEvents(transaction, changes);
  if (events.length === 0) return;
  const rowIds = [...new Set(events.map(({ change }) => change.current.rowId))];
  const found = await newestPrices(transaction, rowIds, priceHistoryLimit);
  const histories = new Map<number, PriceEntry[]>(rowIds.map((rowId, index) => [rowId, found[index] ?? []]));
  const traceparent = activeTraceparent();
  const rows = events.map(({ type, change }) => ({
    id: randomId("ev_"),
    type,
    body: JSON.stringify(
      toWebhookEvent(type, change, histories.get(change.current.rowId) ?? [], atMs, presentation),
    ),
    created_at: atMs,
    traceparent,
  }));
  const written = await transaction
    .insertInto("webhook_events")
    .values(rows)
    .returning(["row_id", "id"])
    .execute();
  const rowIdOf = new Map(written.map(({ row_id, id }) => [id, row_id]));
  const deliveries = events.flatMap(({ webhookRowIds }, index) =>
    webhookRowIds.map((webhook) => ({
      id: randomId("dl_"),
      webhook,
      event: rowIdOf.get(rows[index]?.id ?? ""),
    })),
  );
  await sql`
    insert into deliveries (id, webhook_row_id, event_row_id, kind, status, attempts, due_at, created_at)
    select id, webhook, event, 'event', 'pending', 0, ${atMs}::bigint, ${atMs}::bigint
    from json_to_recordset(${JSON.stringify(deliveries)}::json) d (id text, webhook bigint, event bigint)`.execute(
    transaction,
  );
}

/** The events with at least one webhook, in the order of the changes. */
async function wantedEvents(
  transaction: Kysely<Database>,
  changes: readonly ProductChange[],
): Promise<NewEvent[]> {
  const told = changes.flatMap((change) => eventTypesOf(change).map((type) => ({ type, change })));
  if (told.length === 0) return [];
  const keys = await ownKeys(transaction, changes);
  const trackedIdsOf = ({ current: { id, groupId } }: ProductChange) =>
    [id, groupId, keys.get(id)].filter((tracked) => tracked !== undefined);
  const trackedIds = [...new Set(told.flatMap(({ change }) => trackedIdsOf(change)))];
  const webhooks = await sql<{ rowId: number; type: string; productId: string | null }>`
    select row_id as "rowId", type, null as "productId" from webhooks
    where product_ids is null and disabled_at is null and deleted_at is null
    union all
    select w.row_id, w.type, p.product_id from webhook_products p join webhooks w on w.row_id = p.webhook_row_id
    where p.product_id = any(${trackedIds}::text[]) and w.disabled_at is null and w.deleted_at is null
    order by 1`.execute(transaction);
  const keyOf = (type: string, productId: string | null) => `${type} ${productId ?? ""}`;
  const waiting = Map.groupBy(webhooks.rows, ({ type, productId }) => keyOf(type, productId));
  return told.flatMap(({ type, change }) => {
    const matching = [null, ...trackedIdsOf(change)].flatMap((id) => waiting.get(keyOf(type, id)) ?? []);
    // A webhook may track a product by itself and by its group.
    const webhookRowIds = [...new Set(matching.map(({ rowId }) => rowId))];
    return webhookRowIds.length === 0 ? [] : [{ type, change, webhookRowIds }];
  });
}

/** The keys of the products by identifier, without those that name another product. */
async function ownKeys(
  transaction: Kysely<Database>,
  changes: readonly ProductChange[],
): Promise<Map<string, string>> {
  const named = [...new Set(changes.flatMap(({ current: { key } }) => namedIds(key)))];
  const rows = await sql<{ id: string }>`select id from products where id = any(${named}::text[])`.execute(
    transaction,
  );
  const present = new Set(rows.rows.map(({ id }) => id));
  const own = changes.filter(
    ({ current: { id, key } }) => namedIds(key).find((one) => one === id || present.has(one)) === id,
  );
  return new Map(own.map(({ current: { id, key } }) => [id, key]));
}
