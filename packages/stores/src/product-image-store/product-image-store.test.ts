import type { Clock } from "@product-search/core/ports/clock.ts";
import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import { describeProductImageStore } from "@product-search/testing/contracts/product-image-store.ts";
import { type Kysely, sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openMemoryDatabase } from "../database/open.ts";
import type { Database } from "../database/schema.ts";
import { createPostgresDeadLetters, createSqliteDeadLetters } from "../dead-letters/dead-letters.ts";
import { createPostgresProductImageStore, createSqliteProductImageStore } from "./product-image-store.ts";

const described = (id: number, ...values: number[]) =>
  ({ id, became: "described", descriptor: { model: "m", vector: Float32Array.from(values) } }) as const;

async function addProducts(db: Kysely<Database>): Promise<void> {
  const numbers = Array.from({ length: 9 }, (_, index) => sql`(${String(index + 1)})`);
  await sql`
    with numbers (n) as (values ${sql.join(numbers)})
    insert into products (source, key, id, slug, name, store_name, description, url, images, price_minor, availability,
      review_count, is_verified, is_boosted, discount_val, price_since, created_at, updated_at)
    select 'catalog', n, 'id' || n, n, n, '', '', '', '[]', 1, 'in_stock', 0, 0, 0, 0, 0, 0, 0 from numbers`.execute(
    db,
  );
}

async function openSqlite(clock: Clock) {
  const { db, close } = await openMemoryDatabase();
  await addProducts(db);
  return {
    ...{ db, close, deadLetters: createSqliteDeadLetters({ db, clock }) },
    store: createSqliteProductImageStore({ db, clock }),
    refuse: async (table: string, condition: string) => {
      const trigger = `create trigger refuse before insert on ${table} when ${condition}
        begin select raise(abort, 'refused'); end`;
      await sql.raw(trigger).execute(db);
    },
  };
}

async function openPostgres(clock: Clock) {
  const { db, close } = await openTestPostgres();
  await addProducts(db);
  return {
    ...{ db, close, deadLetters: createPostgresDeadLetters({ db, clock }) },
    store: createPostgresProductImageStore({ db, clock }),
    refuse: async (table: string, condition: string) => {
      const trigger = `create function refuse() returns trigger language plpgsql as
          $$ begin raise exception 'refused'; end $$;
        create trigger refuse before insert on ${table} for each row when (${condition}) execute function refuse()`;
      await sql.raw(trigger).execute(db);
    },
  };
}

function describeFaults(open: typeof openSqlite): void {
  async function openOne() {
    const clock = { nowMs: 1_000_000, now: () => clock.nowMs };
    const { close, ...opened } = await open(clock);
    onTestFinished(close);
    const letters = async () => (await opened.deadLetters.list({ limit: 10 })).letters;
    return { ...opened, clock, letters };
  }

  test("creates a dead letter for an outcome that cannot be recorded, and records the others", async () => {
    const { clock, store, letters, refuse } = await openOne();
    await store.note([{ rowId: 1, addresses: ["/bad", "/good"] }], 1);
    await refuse("picture_vectors", "new.picture_id = 1");
    await store.record([described(1, 1, 0), described(2, 0, 1)]);
    expect(await store.progress()).toMatchObject({ described: 1, waiting: 1 });
    for (let failure = 1; failure < maxFailures; failure++) {
      clock.nowMs += 3_600_000;
      expect(await store.due("m", 10)).toMatchObject([{ address: "/bad", attempts: failure }]);
      await store.record([described(1, 1, 0)]);
    }
    expect(await store.progress()).toMatchObject({ described: 1, waiting: 0, lost: 1 });
    expect(await letters()).toMatchObject([
      { queue: "pictures", item: "/bad", error: "refused", failures: 5 },
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
    const { store, letters, refuse } = await openOne();
    await refuse("product_pictures", "new.product_row_id = 1");
    const shown = [
      { rowId: 1, addresses: ["/a"] },
      { rowId: 2, addresses: ["/b"] },
    ];
    await store.note(shown, 7);
    expect(await store.notedSequence()).toBe(7);
    expect((await store.due("m", 10)).map(({ address }) => address)).toEqual(["/b"]);
    expect(await letters()).toMatchObject([{ queue: "products", item: "id1" }]);
  });

  test("moves vectors of another length to the dead letters of their images", async () => {
    const { db, store, letters } = await openOne();
    await store.note([{ rowId: 1, addresses: ["/bad", "/odd", "/good"] }], 1);
    await store.record([described(1, 1, 0, 0), described(2, 1, 0), described(3, 0, 1)]);
    await sql`update picture_vectors set vector = ${Buffer.of(0)} where picture_id = 2`.execute(db);
    expect((await store.vectorsOf([1], "m"))[0]?.vectors.map(({ length }) => length)).toEqual([3, 0, 2]);
    await store.discardVectors(1, "m", 2);
    expect((await store.vectorsOf([1], "m"))[0]?.vectors.map(({ length }) => length)).toEqual([2]);
    expect((await letters()).map(({ item }) => item).toSorted()).toEqual(["/bad", "/odd"]);
    expect(await store.progress()).toMatchObject({ described: 1, lost: 2 });
  });
}

describe("the SQLite image store", () => {
  describeProductImageStore(openSqlite);
  describeFaults(openSqlite);
});

describeOnPostgres("the PostgreSQL image store", () => {
  describeProductImageStore(openPostgres);
  describeFaults(openPostgres);

  test("knows the models that all nodes have used within a day", async () => {
    const clock = { nowMs: 1_000_000, now: () => clock.nowMs };
    const { db, store, close } = await openPostgres(clock);
    onTestFinished(close);
    const other = createPostgresProductImageStore({ db, clock });
    await store.useModels(["former"]);
    await other.useModels(["wanted", "former"]);
    expect((await store.usedModels()).toSorted()).toEqual(["former", "wanted"]);
    clock.nowMs += 23 * 3_600_000;
    await other.useModels(["wanted"]);
    clock.nowMs += 3_600_000;
    expect(await store.usedModels()).toEqual(["wanted"]);
  });
});
