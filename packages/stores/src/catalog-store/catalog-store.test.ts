import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeCatalogStore } from "@product-search/testing/contracts/catalog-store.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openDatabase } from "../database/open.ts";
import { createOutbox } from "../database/outbox.ts";
import type { OpenPostgres } from "../database/postgres/open.ts";
import { Database } from "../database/sqlite.ts";
import { createSqlWrittenProducts } from "../written-products/written-products.ts";
import { createPostgresCatalogStore } from "./postgres.ts";
import { createSqliteCatalogStore } from "./sqlite.ts";

async function openTemporary() {
  const dataDir = await mkdtemp(join(tmpdir(), "catalog-store-"));
  const database = await openDatabase(dataDir);
  const close = async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  };
  const outbox = createOutbox(database.connection, { publicUrl: "https://shop.example", currency: "USD" });
  return { ...database, dataDir, outbox, close };
}

describe("the SQLite catalog store", () => {
  describeCatalogStore(async (clock) => {
    const { connection, outbox, close } = await openTemporary();
    return { store: createSqliteCatalogStore({ connection, clock, outbox }), close };
  });

  test("creates a product once if another connection creates it at the same time", async () => {
    const { connection, outbox, dataDir, close } = await openTemporary();
    const other = await openDatabase(dataDir);
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    await store.apply([productInput("a")]);
    other.connection.exec(`
      create table kept as select * from products;
      delete from price_history;
      delete from changes;
      delete from products;`);
    let isFirstRead = true;
    const overtaken = {
      ...productInput("a", { priceMinor: 1500 }),
      get name() {
        // The first read after the store has looked for the product and before it writes.
        if (isFirstRead) other.connection.exec("insert into products select * from kept");
        isFirstRead = false;
        return "Desk lamp";
      },
    };
    expect(await store.apply([overtaken])).toEqual(["updated"]);
    expect(await store.scan(0, 10)).toMatchObject([{ key: "a", name: "Desk lamp", priceMinor: 1500 }]);
    await other.close();
    await close();
  });

  test("refuses to apply inside another transaction, which could roll it back", async () => {
    const { connection: usual, outbox, close } = await openTemporary();
    const connection = new Database(usual.name, { timeout: 20 });
    connection.exec("begin");
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    await expect(store.apply([productInput("a")])).rejects.toThrow("another transaction");
    connection.exec("rollback");
    connection.close();
    await close();
  });

  test("lets its thread go on while another connection holds the lock, each time", async () => {
    const { connection, outbox, close } = await openTemporary();
    const other = new Database(connection.name);
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    for (const key of ["a", "b"]) {
      other.exec("begin immediate");
      const applying = store.apply([productInput(key)]);
      // With a blocking wait, neither this timer nor the rollback would come before the timeout of ten seconds.
      const startedAt = performance.now();
      await setTimeout(50);
      expect(performance.now() - startedAt).toBeLessThan(5000);
      other.exec("rollback");
      expect(await applying).toEqual(["created"]);
    }
    other.close();
    await close();
  });

  test("waits for another transaction on its connection", async () => {
    const { connection, outbox, close } = await openTemporary();
    connection.exec("begin");
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    const applying = store.apply([productInput("a")]);
    await setTimeout(20);
    connection.exec("rollback");
    expect(await applying).toEqual(["created"]);
    expect(await store.scan(0, 10)).toHaveLength(1);
    await close();
  });
});

const presentation = { publicUrl: "https://shop.example", currency: "USD" };

describeOnPostgres("the PostgreSQL catalog store", () => {
  describeCatalogStore(async (clock) => {
    const { db, close } = await openTestPostgres();
    return { store: createPostgresCatalogStore({ db, clock, presentation }), close };
  });

  describe("with several nodes", () => {
    let database: OpenPostgres;
    beforeEach(async () => {
      database = await openTestPostgres();
    });
    afterEach(() => database.close());
    const createStore = () =>
      createPostgresCatalogStore({ db: database.db, clock: systemClock, presentation });

    test("a follower never misses a change of a slower transaction", async () => {
      const store = createStore();
      await store.apply([productInput("slow"), productInput("fast")]);
      const seen = new Set<number>();
      let position = (await store.changesAfter(0, 100)).at(-1)?.sequence ?? 0;
      const follow = async () => {
        for (const { sequence, rowId } of await store.changesAfter(position, 100)) {
          seen.add(rowId);
          position = sequence;
        }
      };
      // The slow transaction stays open until it is released; the fast one begins after it.
      const slow = await database.db.startTransaction().execute();
      const slowStore = createPostgresCatalogStore({ db: slow, clock: systemClock, presentation });
      await slowStore.apply([productInput("slow", { priceMinor: 1 })]);
      const fast = store.apply([productInput("fast", { priceMinor: 1 })]);
      await Promise.race([fast, untilOneWaits(database.db)]);
      await follow();
      await slow.commit().execute();
      await fast;
      await follow();
      expect([...seen].sort()).toEqual([1, 2]);
      expect(position).toBe(await store.lastSequence());
    });

    test("two imports of the same products in different orders both end and lose no change", async () => {
      const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
      const stores = [createStore(), createStore(), createStore()];
      for (let round = 1; round <= 3; round += 1) {
        await Promise.all(
          stores.map((store, index) => {
            const ordered = index % 2 === 0 ? keys : keys.toReversed();
            const priceMinor = round * 10 + index;
            return store.apply(ordered.map((key) => productInput(key, { priceMinor })));
          }),
        );
      }
      const products = await createStore().scan(0, 100);
      expect(products).toHaveLength(40);
      const histories = await createStore().priceHistories(
        products.map(({ rowId }) => rowId),
        100,
      );
      for (const [index, product] of products.entries()) {
        const history = histories[index] ?? [];
        expect(history.at(-1)?.priceMinor).toBe(product.priceMinor);
        for (const [place, entry] of history.entries()) {
          expect(entry.priceMinor).not.toBe(history[place - 1]?.priceMinor);
        }
      }
    });

    test("an import leaves products that were written directly after it began", async () => {
      const store = createStore();
      const written = createSqlWrittenProducts({ db: database.db, clock: systemClock });
      await database.db
        .insertInto("imports")
        .values({ slot: 1, owner: "me", label: "x", started_at: 0, lease_until: 0, position: 0 })
        .execute();
      await store.apply(["a", "b", "c"].map((key) => productInput(key)));
      const startedAtMs = systemClock.now();
      await setTimeout(5);
      const ids = ["a", "c", "new"].map((key) => productId("catalog", key));
      await written.note(ids);
      const progress = { owner: "me", position: 1, startedAtMs };
      const inputs = ["a", "b", "new"].map((key) => productInput(key, { priceMinor: 1 }));
      expect(await store.apply(inputs, progress)).toEqual(["outdated", "updated", "outdated"]);
      expect(await store.applyEach(inputs, progress)).toEqual(["outdated", "unchanged", "outdated"]);
      expect(await store.remove([...ids, "absent"], progress)).toEqual([
        ...["outdated", "outdated", "outdated", "absent"],
      ]);
      const later = { ...progress, startedAtMs: systemClock.now() + 1 };
      expect(await store.apply(inputs, later)).toEqual(["updated", "unchanged", "created"]);
    });

    test("text that PostgreSQL cannot hold is stored without it, and does not change each time", async () => {
      const store = createStore();
      const odd = productInput("odd", { name: "La\0mp \ud800", description: "ok" });
      expect(await store.apply([odd])).toEqual(["created"]);
      expect(await store.apply([odd])).toEqual(["unchanged"]);
      expect(await store.scan(0, 1)).toMatchObject([{ name: "Lamp \ufffd" }]);
    });
  });
});

/** Waits until a transaction waits for another one's lock. */
async function untilOneWaits(db: OpenPostgres["db"]): Promise<void> {
  for (;;) {
    const waiting = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      db,
    );
    if (waiting.rows.length > 0) return;
    await setTimeout(10);
  }
}
