import { describeInsightStore } from "@product-search/testing/contracts/insight-store/contract.ts";
import { expect, onTestFinished, test } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlInsightStore } from "./sql.ts";

describeOnEachEngine("the insight store", (open) => {
  describeInsightStore(async (limits) => {
    const { db, close } = await open();
    return {
      store: createSqlInsightStore({ db, limits }),
      async addProducts(ids) {
        await db.insertInto("products").values(ids.map(productRow)).execute();
      },
      close,
    };
  });

  test("has pages of the products with events, and of those that are popular without any now", async () => {
    const { db, close } = await open();
    onTestFinished(close);
    const store = createSqlInsightStore({ db });
    const ids = ["a", "b", "c", "d"];
    await db.insertInto("products").values(ids.map(productRow)).execute();
    await db.updateTable("products").set({ popularity: 7 }).where("id", "in", ["a", "d"]).execute();
    const dayMs = 24 * 3600 * 1000;
    const events = [
      { type: "click", productId: "c", atMs: 100 * dayMs, key: "1" },
      { type: "purchase", productId: "c", atMs: 101 * dayMs },
      { type: "cart", productId: "d", atMs: 101 * dayMs },
      { type: "click", productId: "d", atMs: 99 * dayMs },
    ] as const;
    for (const event of events) await store.addEvents([event]);
    const none = { clicks: 0, carts: 0, purchases: 0 };
    const first = await store.productEvents("", 100, 2);
    expect(first.products).toMatchObject([
      { popularity: 7, ...none },
      { popularity: 0, ...none, clicks: 1, purchases: 1 },
    ]);
    const second = await store.productEvents(first.next ?? "", 100, 2);
    expect(second).toMatchObject({ products: [{ popularity: 7, ...none, carts: 1 }] });
    expect(second.next).toBeUndefined();
  });
});

function productRow(id: string) {
  return {
    ...{ source: "catalog", key: id, id, slug: id, name: id, store_name: "Shop", description: "", url: "" },
    ...{ images: "[]", price_minor: 100, availability: "in_stock", review_count: 0, is_verified: 0 },
    ...{ is_boosted: 0, discount_val: 0, price_since: 0, created_at: 0, updated_at: 0 },
  };
}
