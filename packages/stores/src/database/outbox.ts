import { namedIds } from "@product-search/core/domain/identity.ts";
import { type Presentation, priceHistoryLimit } from "@product-search/core/domain/mapping/to-product.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import {
  eventTypesOf,
  type ProductChange,
  toWebhookEvent,
  type WebhookType,
} from "@product-search/core/domain/webhook-event.ts";
import { activeTraceparent } from "./active-traceparent.ts";
import { preparePriceHistory } from "./price-history.ts";
import { type NewId, randomId } from "./random-id.ts";
import type * as Sqlite from "./sqlite.ts";

export interface Outbox {
  /**
   * Writes the change's events and one pending delivery for each webhook that tracks it. Call it inside the
   * transaction of the change, after the product and its price history are written.
   */
  record(change: ProductChange, atMs: number): void;
}

/** Without such a webhook there is no event, because nobody could ever read it. */
export function createOutbox(
  connection: Sqlite.Database,
  presentation: Presentation,
  newId: NewId = randomId,
): Outbox {
  const matching = connection.prepare<
    { type: string; productId: string; groupId: string | null; key: string | null },
    { rowId: number }
  >(
    `select row_id as rowId from webhooks
     where type = @type and product_ids is null and disabled_at is null and deleted_at is null
     union
     select w.row_id from webhook_products p join webhooks w on w.row_id = p.webhook_row_id
     where p.product_id in (@productId, @groupId, @key) and w.type = @type and w.disabled_at is null and w.deleted_at is null`,
  );
  const exists = connection.prepare<[string], number>("select 1 from products where id = ?").pluck();
  /** The key, unless it names another product. */
  const ownKey = ({ id, key }: StoredProduct) =>
    namedIds(key).find((named) => named === id || exists.get(named) === 1) === id ? key : null;
  const history = preparePriceHistory(connection);
  const addEvent = connection.prepare<[string, string, string, number, string | null]>(
    "insert into webhook_events (id, type, body, created_at, traceparent) values (?, ?, ?, ?, ?)",
  );
  const addDelivery = connection.prepare<[string, number, number | bigint, number, number]>(
    `insert into deliveries
       (id, webhook_row_id, event_row_id, kind, status, attempts, due_at, created_at)
     values (?, ?, ?, 'event', 'pending', 0, ?, ?)`,
  );

  function recordType(type: WebhookType, change: ProductChange, atMs: number): void {
    const { id: productId, groupId = null } = change.current;
    const webhooks = matching.all({ type, productId, groupId, key: ownKey(change.current) });
    if (webhooks.length === 0) return;
    const prices = history(change.current.rowId, priceHistoryLimit);
    const body = JSON.stringify(toWebhookEvent(type, change, prices, atMs, presentation));
    const event = addEvent.run(newId("ev_"), type, body, atMs, activeTraceparent()).lastInsertRowid;
    for (const { rowId } of webhooks) addDelivery.run(newId("dl_"), rowId, event, atMs, atMs);
  }

  return {
    record(change, atMs) {
      if (!connection.inTransaction)
        throw new Error("An event is recorded in its change's transaction only.");
      for (const type of eventTypesOf(change)) recordType(type, change, atMs);
    },
  };
}
