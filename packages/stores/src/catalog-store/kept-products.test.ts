import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeCatalogStore } from "@product-search/testing/contracts/catalog-store.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMemoryDatabase } from "../database/open.ts";
import { createOutbox } from "../database/outbox.ts";
import { keepProducts } from "./kept-products.ts";
import { createSqliteCatalogStore } from "./sqlite.ts";

const presentation = { publicUrl: "https://shop.example", currency: "USD" };

async function openStore(clock = systemClock) {
  const { connection, close } = await openMemoryDatabase();
  const outbox = createOutbox(connection, presentation);
  return { store: createSqliteCatalogStore({ connection, clock, outbox }), close };
}

/** A store that notes which rows are read. */
async function openNoted(capacity?: number) {
  const { store, close } = await openStore();
  onTestFinished(close);
  const read: number[] = [];
  let beforeReturn = async () => {};
  const find = keepProducts(
    {
      ...store,
      async findWithHistory(rowIds, limit) {
        read.push(...rowIds);
        const found = await store.findWithHistory(rowIds, limit);
        await beforeReturn();
        return found;
      },
    },
    capacity,
  );
  const prices = async (...rowIds: number[]) =>
    (await find(rowIds, 100)).map(({ product, history }) => [product.priceMinor, history.length]);
  return {
    store,
    prices,
    find,
    takeRead: () => read.splice(0),
    /** Once, after the next read. */
    meanwhile(work: () => Promise<unknown>) {
      beforeReturn = async () => {
        beforeReturn = async () => {};
        await work();
      };
    },
  };
}

describe("keepProducts", () => {
  describeCatalogStore(async (clock) => {
    const { store, close } = await openStore(clock);
    return { store: { ...store, findWithHistory: keepProducts(store) }, close };
  });

  it("reads a product twice, then keeps it until it changes or is removed", async () => {
    const { store, prices, takeRead } = await openNoted();
    const [a, b] = [productInput("a", { priceMinor: 1000 }), productInput("b", { priceMinor: 2000 })];
    await store.apply([a, b]);
    const both = [
      [2000, 1],
      [1000, 1],
    ];
    for (let time = 0; time < 4; time++) expect(await prices(2, 9, 1)).toEqual(both);
    // Row 9 is no product's.
    expect(takeRead()).toEqual([2, 9, 1, 2, 9, 1, 9, 9]);
    await store.apply([productInput("b", { priceMinor: 1500 })]);
    expect(await prices(2, 1)).toEqual([
      [1500, 2],
      [1000, 1],
    ]);
    expect(takeRead()).toEqual([2]);
    const [first] = await store.scan(0, 1);
    await store.remove([first?.id ?? ""]);
    expect(await prices(2, 1)).toEqual([[1500, 2]]);
  });

  it("does not keep what may have changed while it was read", async () => {
    const { store, prices, meanwhile } = await openNoted();
    await store.apply([productInput("a", { priceMinor: 1000 })]);
    await prices(1);
    meanwhile(async () => {
      await store.apply([productInput("a", { priceMinor: 1500 })]);
      // Another request learns of the change first.
      await prices(2);
    });
    await prices(1);
    expect(await prices(1)).toEqual([[1500, 2]]);
  });

  it("reads again for another length of the history", async () => {
    const { store, find } = await openNoted();
    await store.apply([productInput("a", { priceMinor: 1000 })]);
    await store.apply([productInput("a", { priceMinor: 1500 })]);
    for (let time = 0; time < 3; time++) await find([1], 100);
    expect((await find([1], 1)).map(({ history }) => history.length)).toEqual([1]);
  });

  it("keeps as much as fits", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => i + 1);
    const { store, find, takeRead } = await openNoted(40_000);
    await store.apply(rows.map((row) => productInput(`p${row}`, { description: "x".repeat(2000) })));
    for (let time = 0; time < 2; time++) for (const row of rows) await find([row], 100);
    takeRead();
    for (const row of rows.toReversed()) await find([row], 100);
    const again = takeRead().length;
    expect(again).toBeGreaterThan(15);
    expect(again).toBeLessThan(25);
  });
});
