import type { Clock } from "@product-search/core/ports/clock.ts";
import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import { describeProductImageStore } from "@product-search/testing/contracts/product-image-store/contract.ts";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { createPostgresProductImageStore } from "./postgres.ts";

async function openStore(clock: Clock) {
  const { db, close } = await openTestPostgres();
  await sql`
    insert into products (source, key, id, slug, name, store_name, description, url, images, price_minor, availability,
      review_count, is_verified, is_boosted, discount_val, price_since, created_at, updated_at)
    select 'catalog', n, 'id' || n, n, n, '', '', '', '[]', 1, 'in_stock', 0, 0, 0, 0, 0, 0, 0
    from generate_series(1, 9) n`.execute(db);
  return { db, store: createPostgresProductImageStore({ db, clock }), close };
}

async function openOne() {
  const clock = { nowMs: 1_000_000, now: () => clock.nowMs };
  const { db, store, close } = await openStore(clock);
  onTestFinished(close);
  const letters = () =>
    db.selectFrom("dead_letters").select(["queue", "item", "error"]).orderBy("item").execute();
  const refuse = (table: string, condition: string) =>
    sql
      .raw(
        `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
         create trigger refuse before insert on ${table} for each row when (${condition}) execute function refuse()`,
      )
      .execute(db);
  return { db, clock, store, letters, refuse };
}

const described = (id: number, ...values: number[]) =>
  ({ id, became: "described", descriptor: { model: "m", vector: Float32Array.from(values) } }) as const;

describeOnPostgres("the PostgreSQL image store", () => {
  describeProductImageStore(openStore);

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
    expect(await letters()).toEqual([{ queue: "pictures", item: "/bad", error: "refused" }]);
  });

  test("notes the other products if one cannot be noted", async () => {
    const { store, letters, refuse } = await openOne();
    await refuse("product_pictures", "new.product_row_id = 1");
    await store.note(
      [
        { rowId: 1, addresses: ["/a"] },
        { rowId: 2, addresses: ["/b"] },
      ],
      7,
    );
    expect(await store.notedSequence()).toBe(7);
    expect((await store.due("m", 10)).map(({ address }) => address)).toEqual(["/b"]);
    expect(await letters()).toMatchObject([{ queue: "products", item: "id1" }]);
  });

  test("moves vectors of another length to the dead letters of their images", async () => {
    const { db, store, letters } = await openOne();
    await store.note([{ rowId: 1, addresses: ["/bad", "/odd", "/good"] }], 1);
    await store.record([described(1, 1, 0, 0), described(2, 1, 0), described(3, 0, 1)]);
    await sql`update picture_vectors set vector = '\\x00' where picture_id = 2`.execute(db);
    await store.discardVectors(1, "m", 2);
    expect((await store.vectorsOf([1], "m"))[0]?.vectors.map(({ length }) => length)).toEqual([2]);
    expect((await letters()).map(({ item }) => item)).toEqual(["/bad", "/odd"]);
    expect(await store.progress()).toMatchObject({ described: 1, lost: 2 });
  });

  test("knows the models that all nodes have used within a day", async () => {
    const { db, clock, store } = await openOne();
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
