import { systemClock } from "@product-search/core/ports/clock.ts";
import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import { describeProductImageStore } from "@product-search/testing/contracts/product-image-store/contract.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { openMemoryDatabase } from "../database/open.ts";
import { createSqliteDeadLetters } from "../dead-letters/sql.ts";
import { createSqliteProductImageStore } from "./sqlite.ts";

describe("the SQLite image store", () => {
  describeProductImageStore(async (clock) => {
    const { connection, close } = await openMemoryDatabase();
    // Only the products' row numbers matter here.
    connection.pragma("foreign_keys = OFF");
    return { store: createSqliteProductImageStore({ connection, clock }), close };
  });

  async function openOne() {
    const { db, connection, close } = await openMemoryDatabase();
    onTestFinished(close);
    connection.pragma("foreign_keys = OFF");
    const clock = { nowMs: systemClock.now(), now: () => clock.nowMs };
    const store = createSqliteProductImageStore({ connection, clock });
    const deadLetters = createSqliteDeadLetters({ db, clock });
    const letters = async () => (await deadLetters.list({ limit: 10 })).letters;
    return { connection, clock, store, deadLetters, letters };
  }
  const described = (id: number, ...values: number[]) =>
    ({ id, became: "described", descriptor: { model: "m", vector: Float32Array.from(values) } }) as const;

  test("creates a dead letter for an outcome that cannot be recorded, and records the others", async () => {
    const { connection, clock, store, letters } = await openOne();
    await store.note([{ rowId: 1, addresses: ["/bad", "/good"] }], 1);
    connection.exec(
      "create trigger poison before insert on picture_vectors when new.picture_id = 1 begin select raise(abort, 'poison'); end",
    );
    await store.record([described(1, 1, 0), described(2, 0, 1)]);
    expect(await store.progress()).toMatchObject({ described: 1, waiting: 1 });
    for (let failure = 1; failure < maxFailures; failure++) {
      clock.nowMs += 3_600_000;
      expect(await store.due("m", 10)).toMatchObject([{ address: "/bad", attempts: failure }]);
      await store.record([described(1, 1, 0)]);
    }
    expect(await store.progress()).toMatchObject({ described: 1, waiting: 0, lost: 1 });
    expect(await letters()).toMatchObject([
      { queue: "pictures", item: "/bad", error: "poison", failures: 5 },
    ]);
  });

  test("creates a dead letter for an image that failed because of an internal error, and makes it due again on retry", async () => {
    const { store, deadLetters, letters } = await openOne();
    await store.note([{ rowId: 1, addresses: ["/a"] }], 1);
    await store.record([{ id: 1, became: "dead", fault: "the file cannot be read" }]);
    const [letter] = await letters();
    expect(letter).toMatchObject({ item: "/a", error: "the file cannot be read" });
    expect(await store.progress()).toMatchObject({ lost: 1 });
    expect(await deadLetters.retry(letter?.id ?? "")).toBe("retried");
    expect(await store.due("m", 10)).toMatchObject([{ address: "/a", attempts: 0 }]);
    expect(await letters()).toEqual([]);
    await store.record([{ id: 1, became: "dead", fault: "again" }]);
    await store.note([{ rowId: 1, addresses: ["/b"] }], 2);
    expect(await deadLetters.retry((await letters())[0]?.id ?? "")).toBe("obsolete");
  });

  test("notes the other products if one cannot be noted", async () => {
    const { connection, store } = await openOne();
    connection.exec(
      "create trigger poison before insert on product_pictures when new.product_row_id = 1 begin select raise(abort, 'poison'); end",
    );
    await store.note(
      [
        { rowId: 1, addresses: ["/a"] },
        { rowId: 2, addresses: ["/b"] },
      ],
      7,
    );
    expect(await store.notedSequence()).toBe(7);
    expect((await store.due("m", 10)).map(({ address }) => address)).toEqual(["/b"]);
  });

  test("moves vectors of another length to the dead letters of their images", async () => {
    const { connection, store, letters } = await openOne();
    await store.note([{ rowId: 1, addresses: ["/bad", "/odd", "/good"] }], 1);
    await store.record([described(1, 1, 0, 0), described(2, 1, 0), described(3, 0, 1)]);
    connection.exec("update picture_vectors set vector = x'00' where picture_id = 2");
    expect((await store.vectorsOf([1], "m"))[0]?.vectors.map(({ length }) => length)).toEqual([3, 0, 2]);
    await store.discardVectors(1, "m", 2);
    expect((await store.vectorsOf([1], "m"))[0]?.vectors.map(({ length }) => length)).toEqual([2]);
    expect((await letters()).map(({ item }) => item).toSorted()).toEqual(["/bad", "/odd"]);
    expect(await store.progress()).toMatchObject({ described: 1, lost: 2 });
  });
});
