import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import type { Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "./schema.ts";

export const presentation = { publicUrl: "https://shop.example", currency: "USD" };
const nowMs = Date.UTC(2026, 4, 1);

export interface OutboxWorld {
  db: Kysely<Database>;
  /** A catalog that writes events. */
  store: CatalogStore;
  /** The database refuses to add a product with this key, with the message "full". */
  refuseProduct(key: string): Promise<void>;
  close(): Promise<void>;
}

interface Queued {
  webhook: string;
  event: string;
  body: string;
}

/** Tests of the events and deliveries that a change of a product creates, for both databases. */
export function describeOutbox(open: (clock: Clock) => Promise<OutboxWorld>): void {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await open({ now: () => nowMs });
    await world.db.insertInto("accounts").values({ id: "acc", name: "acme", created_at: 0 }).execute();
  });
  afterEach(() => world.close());

  async function addWebhook(
    id: string,
    type: string,
    more: { productIds?: string[]; disabled?: 1; deleted?: 1 } = {},
  ): Promise<void> {
    const { productIds, disabled = null, deleted = null } = more;
    const { row_id } = await world.db
      .insertInto("webhooks")
      .values({
        id,
        account_id: "acc",
        url: "https://partner.example/",
        type,
        product_ids: productIds ? JSON.stringify(productIds) : null,
        key: Buffer.from([0]),
        created_at: 0,
        disabled_at: disabled,
        deleted_at: deleted,
        void_through: 0,
      })
      .returning("row_id")
      .executeTakeFirstOrThrow();
    for (const productId of productIds ?? [])
      await world.db
        .insertInto("webhook_products")
        .values({ product_id: productId, webhook_row_id: row_id })
        .execute();
  }

  const queued = (): Promise<Queued[]> =>
    world.db
      .selectFrom("deliveries as d")
      .innerJoin("webhooks as w", "w.row_id", "d.webhook_row_id")
      .innerJoin("webhook_events as e", "e.row_id", "d.event_row_id")
      .select(["w.id as webhook", "e.id as event", "e.body"])
      .where("d.status", "=", "pending")
      .orderBy("d.row_id")
      .execute();
  const apply = (key: string, more: Partial<ProductInput> = {}) =>
    world.store.apply([productInput(key, more)]);
  const events = async () => (await queued()).map(({ webhook, body }) => [webhook, JSON.parse(body).type]);

  describe("an event", () => {
    test("is not created for a new product, nor if neither price nor availability changed", async () => {
      await addWebhook("wh_price", "price.alert");
      await addWebhook("wh_stock", "stock.alert");
      await apply("a");
      await apply("a");
      await apply("a", { name: "Renamed" });
      expect(await queued()).toEqual([]);
    });

    test("of each type is created for each webhook of that type", async () => {
      for (const id of ["wh_1", "wh_2"]) await addWebhook(id, "price.alert");
      await addWebhook("wh_3", "stock.alert");
      await apply("a", { priceMinor: 1000, availability: "in_stock" });
      await apply("a", { priceMinor: 900, availability: "in_stock" });
      expect(await events()).toEqual([
        ["wh_1", "price.alert"],
        ["wh_2", "price.alert"],
      ]);
      expect(new Set((await queued()).map(({ event }) => event)).size).toBe(1);
      await apply("a", { priceMinor: 900, availability: "out_of_stock" });
      expect((await events()).slice(2)).toEqual([["wh_3", "stock.alert"]]);
    });

    test("is created once for a webhook that tracks a product, its group, or both", async () => {
      await addWebhook("wh_group", "price.alert", { productIds: ["SHIRT"] });
      await addWebhook("wh_both", "price.alert", { productIds: ["SHIRT", productId("catalog", "a")] });
      await addWebhook("wh_other", "price.alert", { productIds: ["TROUSERS"] });
      for (const priceMinor of [1000, 900]) {
        for (const key of ["a", "b"]) await apply(key, { groupId: "SHIRT", priceMinor });
        await apply("c", { priceMinor });
      }
      const webhooks = (await queued()).map(({ webhook, body }) => [
        webhook,
        JSON.parse(body).data.productId,
      ]);
      expect(webhooks.toSorted()).toEqual(
        [
          ["wh_both", productId("catalog", "a")],
          ["wh_both", productId("catalog", "b")],
          ["wh_group", productId("catalog", "a")],
          ["wh_group", productId("catalog", "b")],
        ].toSorted(),
      );
    });

    test("is created for a webhook that tracks the product by its key, unless the key names another product", async () => {
      await addWebhook("wh_key", "price.alert", { productIds: ["a"] });
      await addWebhook("wh_id", "price.alert", { productIds: [productId("catalog", "a")] });
      const other = productInput("a", { source: "marketplace-b" });
      const namesake = productInput(productId("catalog", "a"));
      for (const priceMinor of [1000, 900]) {
        await world.store.apply([
          { ...other, priceMinor },
          { ...namesake, priceMinor },
        ]);
        await apply("a", { priceMinor });
      }
      const webhooks = (await queued()).map(({ webhook, body }) => [
        webhook,
        JSON.parse(body).data.product.key,
      ]);
      expect(webhooks.toSorted()).toEqual([
        ["wh_id", "a"],
        ["wh_key", "a"],
      ]);
    });

    test("contains the product as a search returns it, and both values", async () => {
      await addWebhook("wh_price", "price.alert");
      await apply("a", { priceMinor: 1000 });
      await apply("a", { priceMinor: 905 });
      const body = JSON.parse((await queued())[0]?.body ?? "");
      expect(body).toMatchObject({
        type: "price.alert",
        timestamp: "2026-05-01T00:00:00.000Z",
        data: {
          product: { price: 9.05, discountVal: 9.5 },
          previous: { price: 10 },
          current: { price: 9.05 },
        },
      });
      expect(body.data.product._id).toBe(body.data.productId);
      expect(body.data.product.priceHistory.map((entry: { price: number }) => entry.price)).toEqual([
        10, 9.05,
      ]);
    });

    test("of a marketplace product has no position", async () => {
      await addWebhook("wh_stock", "stock.alert");
      await apply("X1", { source: "marketplace-b", availability: "in_stock" });
      await apply("X1", { source: "marketplace-b", availability: "backorder" });
      const { data } = JSON.parse((await queued())[0]?.body ?? "");
      expect(data).toMatchObject({
        product: { _id: "marketplace-b_X1", source: "marketplace-b", availability: "On backorder" },
        previous: { availability: "in_stock" },
        current: { availability: "backorder" },
      });
      expect(data.product).not.toHaveProperty("position");
    });

    test("goes to webhooks with productIds only for these products", async () => {
      await world.store.apply([productInput("a"), productInput("b")]);
      const [a] = await world.store.findByRowIds([1]);
      await addWebhook("wh_narrow", "price.alert", { productIds: [a?.id ?? "", "unknown"] });
      await world.store.apply([productInput("a", { priceMinor: 1 }), productInput("b", { priceMinor: 1 })]);
      expect((await queued()).map(({ body }) => JSON.parse(body).data.productId)).toEqual([a?.id]);
    });

    test("does not go to disabled or deleted webhooks, and is not stored without a webhook", async () => {
      await apply("a");
      const [a] = await world.store.findByRowIds([1]);
      await addWebhook("wh_1", "price.alert", { disabled: 1 });
      await addWebhook("wh_2", "price.alert", { deleted: 1 });
      await addWebhook("wh_3", "price.alert", { disabled: 1, productIds: [a?.id ?? ""] });
      await apply("a", { priceMinor: 1 });
      expect(await world.db.selectFrom("webhook_events").select("id").execute()).toEqual([]);
    });

    test("is rolled back with its change", async () => {
      await addWebhook("wh_price", "price.alert");
      await apply("a", { priceMinor: 1000 });
      await world.refuseProduct("b");
      await expect(
        world.store.apply([productInput("a", { priceMinor: 1 }), productInput("b")]),
      ).rejects.toThrow("full");
      expect(await queued()).toEqual([]);
      expect(await world.store.findByRowIds([1])).toMatchObject([{ priceMinor: 1000 }]);
    });
  });

  describe("the removal of a product", () => {
    test("creates a last stock event with the price history", async () => {
      await addWebhook("wh_price", "price.alert");
      await addWebhook("wh_stock", "stock.alert");
      await apply("a");
      const [product] = await world.store.scan(0, 1);
      await world.store.remove([product?.id ?? ""]);
      expect(await events()).toEqual([["wh_stock", "stock.alert"]]);
      expect(JSON.parse((await queued())[0]?.body ?? "")).toMatchObject({
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
      await addWebhook("wh_stock", "stock.alert");
      await apply("a", { availability: "out_of_stock" });
      const [product] = await world.store.scan(0, 1);
      await world.store.remove([product?.id ?? ""]);
      expect(await queued()).toEqual([]);
    });
  });
}
