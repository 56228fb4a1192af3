import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { productInput } from "../../../testing/fake-products.ts";
import type { ProductInput } from "../../domain/product.ts";
import type { CatalogStore } from "../../ports/catalog-store.ts";
import { createSqliteCatalogStore } from "../catalog-store/sqlite.ts";
import { type OpenDatabase, openDatabase } from "./open.ts";
import { createOutbox } from "./outbox.ts";

const presentation = { publicUrl: "https://shop.example", currency: "USD" };
const nowMs = Date.UTC(2026, 4, 1);

let dataDir: string;
let database: OpenDatabase;
let store: CatalogStore;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "outbox-"));
  database = await openDatabase(dataDir);
  const { connection } = database;
  store = createSqliteCatalogStore({
    connection,
    clock: { now: () => nowMs },
    outbox: createOutbox(connection, presentation),
  });
  connection.exec("insert into accounts values ('acc', 'acme', 0)");
});

afterEach(async () => {
  await database.close();
  await rm(dataDir, { recursive: true });
});

function addWebhook(
  id: string,
  type: string,
  more: { productIds?: string[]; disabled?: 1; deleted?: 1 } = {},
) {
  const { productIds, disabled = null, deleted = null } = more;
  const { lastInsertRowid } = database.connection
    .prepare(
      `insert into webhooks (id, account_id, url, type, product_ids, key, created_at, disabled_at, deleted_at, void_through)
       values (?, 'acc', 'https://partner.example/', ?, ?, x'00', 0, ?, ?, 0)`,
    )
    .run(id, type, productIds ? JSON.stringify(productIds) : null, disabled, deleted);
  for (const productId of productIds ?? []) {
    database.connection.prepare("insert into webhook_products values (?, ?)").run(productId, lastInsertRowid);
  }
}

interface Queued {
  webhook: string;
  event: string;
  body: string;
}

function queued(): Queued[] {
  return database.connection
    .prepare<[], Queued>(
      `select w.id as webhook, e.id as event, e.body from deliveries d
       join webhooks w on w.row_id = d.webhook_row_id join webhook_events e on e.row_id = d.event_row_id
       where d.status = 'pending' order by d.row_id`,
    )
    .all();
}

const apply = (key: string, more: Partial<ProductInput> = {}) => store.apply([productInput(key, more)]);
const events = () => queued().map(({ webhook, body }) => [webhook, JSON.parse(body).type]);

describe("an event", () => {
  test("is not created for a new product, nor if neither price nor availability changed", async () => {
    addWebhook("wh_price", "price.alert");
    addWebhook("wh_stock", "stock.alert");
    await apply("a");
    await apply("a");
    await apply("a", { name: "Renamed" });
    expect(queued()).toEqual([]);
  });

  test("of each type is created for each webhook of that type", async () => {
    for (const id of ["wh_1", "wh_2"]) addWebhook(id, "price.alert");
    addWebhook("wh_3", "stock.alert");
    await apply("a", { priceMinor: 1000, availability: "in_stock" });
    await apply("a", { priceMinor: 900, availability: "in_stock" });
    expect(events()).toEqual([
      ["wh_1", "price.alert"],
      ["wh_2", "price.alert"],
    ]);
    expect(new Set(queued().map(({ event }) => event)).size).toBe(1);
    await apply("a", { priceMinor: 900, availability: "out_of_stock" });
    expect(events().slice(2)).toEqual([["wh_3", "stock.alert"]]);
  });

  test("contains the product as a search returns it, and both values", async () => {
    addWebhook("wh_price", "price.alert");
    await apply("a", { priceMinor: 1000 });
    await apply("a", { priceMinor: 905 });
    const body = JSON.parse(queued()[0]?.body ?? "");
    expect(body).toMatchObject({
      type: "price.alert",
      timestamp: "2026-05-01T00:00:00.000Z",
      data: { product: { price: 9.05, discountVal: 9.5 }, previous: { price: 10 }, current: { price: 9.05 } },
    });
    expect(body.data.product._id).toBe(body.data.productId);
    expect(body.data.product.priceHistory.map((entry: { price: number }) => entry.price)).toEqual([10, 9.05]);
  });

  test("of a marketplace product has no position", async () => {
    addWebhook("wh_stock", "stock.alert");
    await apply("X1", { source: "marketplace-b", availability: "in_stock" });
    await apply("X1", { source: "marketplace-b", availability: "backorder" });
    const { data } = JSON.parse(queued()[0]?.body ?? "");
    expect(data).toMatchObject({
      product: { _id: "marketplace-b_X1", source: "marketplace-b", availability: "On backorder" },
      previous: { availability: "in_stock" },
      current: { availability: "backorder" },
    });
    expect(data.product).not.toHaveProperty("position");
  });

  test("goes to webhooks with productIds only for these products", async () => {
    await store.apply([productInput("a"), productInput("b")]);
    const [a] = await store.findByRowIds([1]);
    addWebhook("wh_narrow", "price.alert", { productIds: [a?.id ?? "", "unknown"] });
    await store.apply([productInput("a", { priceMinor: 1 }), productInput("b", { priceMinor: 1 })]);
    expect(queued().map(({ body }) => JSON.parse(body).data.productId)).toEqual([a?.id]);
  });

  test("does not go to disabled or deleted webhooks, and is not stored without a webhook", async () => {
    await apply("a");
    const [a] = await store.findByRowIds([1]);
    addWebhook("wh_1", "price.alert", { disabled: 1 });
    addWebhook("wh_2", "price.alert", { deleted: 1 });
    addWebhook("wh_3", "price.alert", { disabled: 1, productIds: [a?.id ?? ""] });
    await apply("a", { priceMinor: 1 });
    expect(database.connection.prepare("select count(*) as n from webhook_events").get()).toEqual({ n: 0 });
  });

  test("is rolled back with its change", async () => {
    addWebhook("wh_price", "price.alert");
    await apply("a", { priceMinor: 1000 });
    database.connection.exec(
      "create trigger full before insert on products when new.key = 'b' begin select raise(abort, 'full'); end",
    );
    await expect(store.apply([productInput("a", { priceMinor: 1 }), productInput("b")])).rejects.toThrow(
      "full",
    );
    expect(queued()).toEqual([]);
    expect(await store.findByRowIds([1])).toMatchObject([{ priceMinor: 1000 }]);
  });

  test("cannot be recorded outside a transaction", async () => {
    await apply("a");
    const [product] = await store.findByRowIds([1]);
    if (product === undefined) throw new Error("The product is missing.");
    const outbox = createOutbox(database.connection, presentation);
    expect(() => outbox.record({ previous: product, current: product }, nowMs)).toThrow("transaction");
  });
});

describe("the removal of a product", () => {
  test("creates a last stock event with the price history", async () => {
    addWebhook("wh_price", "price.alert");
    addWebhook("wh_stock", "stock.alert");
    await apply("a");
    const [product] = await store.scan(0, 1);
    await store.remove([product?.id ?? ""]);
    expect(events()).toEqual([["wh_stock", "stock.alert"]]);
    expect(JSON.parse(queued()[0]?.body ?? "")).toMatchObject({
      timestamp: new Date(nowMs).toISOString(),
      data: {
        productId: product?.id,
        product: { name: "Lamp a", priceHistory: [{ price: 20 }] },
        previous: { availability: "in_stock" },
        current: { availability: "out_of_stock" },
      },
    });
  });

  test("creates no event if the product was out of stock", async () => {
    addWebhook("wh_stock", "stock.alert");
    await apply("a", { availability: "out_of_stock" });
    const [product] = await store.scan(0, 1);
    await store.remove([product?.id ?? ""]);
    expect(queued()).toEqual([]);
  });
});
