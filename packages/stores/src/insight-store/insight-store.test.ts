import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeInsightStore } from "@product-search/testing/contracts/insight-store.ts";
import { createRandom } from "@product-search/testing/hostile-strings.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { createSqlInsightStore } from "./insight-store.ts";

const clock = systemClock;

describeOnEachEngine("the insight store", (open) => {
  describeInsightStore(async (limits) => {
    const { db, close } = await open();
    return {
      store: createSqlInsightStore({ db, clock, limits }),
      async addProducts(ids) {
        await db.insertInto("products").values(ids.map(productRow)).execute();
      },
      close,
    };
  });

  test("has pages of the products with events, and of those that are popular without any now", async () => {
    const { db, close } = await open();
    onTestFinished(close);
    const store = createSqlInsightStore({ db, clock });
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

  test("removes the keys of events when they expire, while the counts stay", async () => {
    const { db, close } = await open();
    onTestFinished(close);
    let nowMs = Date.parse("2026-11-20T12:00:00Z");
    const store = createSqlInsightStore({ db, clock: { now: () => nowMs } });
    await db.insertInto("products").values(productRow("a")).execute();
    const search = { hour: Math.floor(nowMs / 3_600_000), query: "boots" };
    const keys = ["1", "2", "3"];
    await store.addEvents(
      keys.map(
        (key) =>
          ({
            ...{ type: "click", productId: "a", atMs: nowMs, search },
            keys: [{ key, untilMs: nowMs + 25 * 3_600_000 }],
          }) as const,
      ),
    );
    const rows = async () => (await db.selectFrom("event_keys").select("key").execute()).length;
    nowMs += 25 * 3_600_000;
    expect(await store.removeBefore(0, 2)).toBe(false);
    expect(await rows()).toBe(3);
    nowMs += 1;
    expect(await store.removeBefore(0, 2)).toBe(true);
    expect(await store.removeBefore(0, 2)).toBe(false);
    expect(await rows()).toBe(0);
    const { hour } = search;
    expect(await store.totals({ fromHour: hour, toHour: hour })).toMatchObject([{ clicks: 3 }]);
  });
});

describeOnEachEngine("the pairs of orders", (open) => {
  test("are found among baskets that mostly have other products, some of which everybody buys", async () => {
    const { db, close } = await open();
    onTestFinished(close);
    const seed = testSeed("the pairs of orders");
    const random = createRandom(seed);
    const nowMs = Date.parse("2026-11-20T12:00:00Z");
    const store = createSqlInsightStore({ db, clock: { now: () => nowMs } });
    const products = 400;
    const name = (i: number) => `p${String(i).padStart(4, "0")}`;
    const rows = Array.from({ length: products }, (_, i) => productRow(name(i)));
    for (let at = 0; at < products; at += 50)
      await db
        .insertInto("products")
        .values(rows.slice(at, at + 50))
        .execute();
    // Popular products are bought far more often than others.
    const anyProduct = () => name(Math.floor(products * random() ** 3));
    const planted = Array.from({ length: 100 }, (_, i) => [name(2 * i), name(2 * i + 1)] as const);
    const orders = Array.from({ length: 4000 }, (_, i) => {
      const pair = random() < 0.25 ? (planted[Math.floor(random() * planted.length)] ?? []) : [];
      const others = Array.from({ length: 1 + Math.floor(random() * 3) }, anyProduct);
      return [...pair, ...others].map((productId) => ({
        ...({ type: "purchase", productId, atMs: nowMs } as const),
        order: { key: `order ${i}`, untilMs: nowMs + 24 * 3_600_000 },
      }));
    });
    const events = orders.flat();
    for (let at = 0; at < events.length; at += 50) await store.addEvents(events.slice(at, at + 50));
    let hits = 0;
    for (const [one, other] of planted) {
      if ((await store.boughtTogether(one, 10)).includes(other)) hits += 1;
      if ((await store.boughtTogether(other, 10)).includes(one)) hits += 1;
    }
    expect(hits / (2 * planted.length), `seed ${seed}`).toBeGreaterThanOrEqual(0.9);
    const kept = await db
      .selectFrom("product_pairs")
      .select(({ fn }) => fn.countAll().as("rows"))
      .groupBy("product_id")
      .execute();
    expect(Math.max(...kept.map((one) => Number(one.rows)))).toBeLessThanOrEqual(200);
  });
});

describeOnPostgres("two nodes that count on one PostgreSQL", () => {
  test("lock the rows of two hours in the same order", async () => {
    const { db, close } = await openTestPostgres();
    onTestFinished(close);
    const store = createSqlInsightStore({ db, clock });
    await db.insertInto("products").values(productRow("a")).execute();
    const hour = 500_000;
    const searches = [hour - 1, hour].map((one) => ({
      hour: one,
      searches: 1,
      noResults: 0,
      relaxed: 0,
      results: 1,
    }));
    await store.addSearches(searches);
    let adding: Promise<unknown> = Promise.resolve();
    const isWaiting = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      return rows.length > 0;
    };
    await db.transaction().execute(async (transaction) => {
      const lock = (one: number) =>
        sql`update search_hours set searches = searches + 1 where hour = ${one}`.execute(transaction);
      await lock(hour - 1);
      adding = store.addEvents([
        {
          ...{
            type: "click",
            productId: "a",
            atMs: hour * 3_600_000,
            keys: [{ key: "1", untilMs: (hour + 25) * 3_600_000 }],
          },
          search: { hour: hour - 1, query: "boots" },
        },
      ]);
      await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true);
      await lock(hour);
    });
    await adding;
    expect(await store.totals({ fromHour: hour - 1, toHour: hour })).toMatchObject([
      { searches: 4, clicks: 1 },
    ]);
  });
});

function productRow(id: string) {
  return {
    ...{ source: "catalog", key: id, id, slug: id, name: id, store_name: "Shop", description: "", url: "" },
    ...{ images: "[]", price_minor: 100, availability: "in_stock", review_count: 0, is_verified: 0 },
    ...{ is_boosted: 0, discount_val: 0, price_since: 0, created_at: 0, updated_at: 0 },
  };
}
