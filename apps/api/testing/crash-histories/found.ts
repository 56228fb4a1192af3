import type { SqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import type { Effects } from "./expected.ts";

/** The actual contents of the database. */
export function foundEffects({ database: { connection }, secretBox, clock }: SqliteStores): Effects {
  const former = connection.prepare<[number, number], { key: Uint8Array }>(
    "select key from webhook_former_keys where webhook_row_id = ? and until > ?",
  );
  const webhooks = connection
    .prepare<[], { rowId: number; id: string; key: Uint8Array }>(
      "select row_id as rowId, id, key from webhooks where deleted_at is null",
    )
    .all();
  const deliveries = connection
    .prepare<[], { webhook: string; id: string; kind: string; body: string }>(
      `select w.id as webhook, d.id, d.kind, e.body from deliveries d
       join webhooks w on w.row_id = d.webhook_row_id join webhook_events e on e.row_id = d.event_row_id
       where w.deleted_at is null`,
    )
    .all();
  const products = connection
    .prepare<[], { text: string }>(
      `select key || ' ' || availability || ' ' || (
         select group_concat(price_minor) from (
           select price_minor from price_history where product_row_id = products.row_id order by at)) as text
       from products`,
    )
    .all();
  return {
    webhooks: Object.fromEntries(
      webhooks.map(({ rowId, id, key }) => [
        id,
        {
          key: secretBox.open(key),
          former: former
            .all(rowId, clock.now())
            .map((row) => secretBox.open(row.key))
            .toSorted(),
        },
      ]),
    ),
    deliveries: deliveries
      .map(
        ({ webhook, id, kind, body }) => `${webhook} ${kind} ${kind === "test" ? id : describeChange(body)}`,
      )
      .toSorted(),
    products: products.map(({ text }) => text).toSorted(),
  };
}

function describeChange(body: string): string {
  const { type, data } = JSON.parse(body);
  const value = type === "price.alert" ? "price" : "availability";
  return `${data.productId} ${data.previous[value]} → ${data.current[value]}`;
}
