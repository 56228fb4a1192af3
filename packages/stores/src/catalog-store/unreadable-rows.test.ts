import { setImmediate } from "node:timers/promises";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import type { DeadLetters } from "@product-search/core/ports/webhooks.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type OpenDatabase, openMemoryDatabase } from "../database/open.ts";
import { createOutbox } from "../database/outbox.ts";
import { createSqliteDeadLetters } from "../dead-letters/dead-letters.ts";
import { createSqliteCatalogStore } from "./sqlite.ts";

let database: OpenDatabase;
let store: CatalogStore;
let deadLetters: DeadLetters;
beforeEach(async () => {
  database = await openMemoryDatabase();
  const { connection } = database;
  const outbox = createOutbox(connection, { publicUrl: "http://service.test", currency: "USD" });
  store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
  deadLetters = createSqliteDeadLetters({ db: database.db, clock: systemClock });
  await store.apply(["a", "b", "c"].map((key) => productInput(key)));
});
afterEach(() => database.close());

const damage = (column: string, value: string) =>
  database.connection.exec(`update products set ${column} = ${value} where key = 'b'`);
const letters = async () => {
  await setImmediate();
  return (await deadLetters.list({ limit: 10 })).letters;
};

describe.each([
  ["images", "'not JSON'"],
  ["images", "'{}'"],
  ["images", "'[1]'"],
  ["availability", "'unknown'"],
  ["source", "'elsewhere'"],
  ["name", "x'00ff'"],
  ["price_minor", "'much'"],
  ["average_rating", "'good'"],
])("a row whose %s is %s", (column, value) => {
  test("is left out of all reads, and is a dead letter", async () => {
    const ids = (await store.scan(0, 10)).map(({ id }) => id);
    damage(column, value);
    expect((await store.findByRowIds([1, 2, 3])).map(({ key }) => key)).toEqual(["a", "c"]);
    expect((await store.scan(0, 10)).map(({ key }) => key)).toEqual(["a", "c"]);
    expect(await store.findById(ids[1] ?? "")).toBeUndefined();
    expect(await letters()).toMatchObject([{ queue: "products", item: ids[1] }]);
  });
});

describe("an import", () => {
  test("repairs a row that cannot be read, without an event", async () => {
    damage("availability", "'unknown'");
    await store.scan(0, 10);
    expect(await letters()).toHaveLength(1);
    const inputs = ["a", "b", "c"].map((key) => productInput(key, { priceMinor: 900 }));
    await expect(store.apply(inputs)).rejects.toThrow("availability");
    expect(await store.applyEach(inputs)).toEqual(["updated", "updated", "updated"]);
    const products = await store.scan(0, 10);
    expect(products.map(({ key, priceMinor }) => [key, priceMinor])).toEqual([
      ["a", 900],
      ["b", 900],
      ["c", 900],
    ]);
    expect((await store.priceHistories([2], 10))[0]?.map(({ priceMinor }) => priceMinor)).toEqual([
      2000, 900,
    ]);
    expect(await letters()).toEqual([]);
  });

  test("makes a dead letter of a product that cannot be applied, and removes it when it is applied", async () => {
    const refuse =
      "create trigger refuse before update on products when new.price_minor = 13 begin select raise(abort, 'refused'); end";
    database.connection.exec(refuse);
    const input = productInput("b", { priceMinor: 13 });
    expect(await store.applyEach([productInput("a", { priceMinor: 5 }), input, productInput("d")])).toEqual([
      "updated",
      "failed",
      "created",
    ]);
    const [letter] = await letters();
    expect(letter).toMatchObject({
      queue: "imports",
      error: expect.stringContaining("refused"),
      failures: 1,
    });
    expect(await deadLetters.inputOf(letter?.id ?? "")).toEqual(input);
    expect(await store.applyEach([input])).toEqual(["failed"]);
    expect(await letters()).toMatchObject([{ failures: 2 }]);

    database.connection.exec("drop trigger refuse");
    expect(await store.apply([input])).toEqual(["updated"]);
    expect(await letters()).toEqual([]);
  });

  test("does not treat a full disk as an error of a product", async () => {
    database.connection.pragma("max_page_count = 1");
    const big = productInput("big", { description: "x".repeat(100_000) });
    await expect(store.applyEach([big])).rejects.toThrow("full");
    database.connection.pragma("max_page_count = 1000000");
    expect(await letters()).toEqual([]);
  });
});

test("a retry makes the indexes read the product again", async () => {
  damage("images", "'not JSON'");
  await store.scan(0, 10);
  const [letter] = await letters();
  const before = await store.lastSequence();
  expect(await deadLetters.retry(letter?.id ?? "")).toBe("retried");
  expect(await store.changesAfter(before, 10)).toMatchObject([{ rowId: 2 }]);
});

test("a row that cannot be read is removed without an event, and its dead letter with it", async () => {
  const ids = (await store.scan(0, 10)).map(({ id }) => id);
  damage("availability", "'unknown'");
  await store.scan(0, 10);
  expect(await letters()).toHaveLength(1);
  expect(await store.remove([ids[1] ?? ""])).toEqual(["removed"]);
  expect(await letters()).toEqual([]);
  expect(await store.countBySource()).toMatchObject({ catalog: 2 });
});
