import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import type { DeadLetters } from "@product-search/core/ports/webhooks.ts";
import { describeCatalogStore } from "@product-search/testing/contracts/catalog-store.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { type OpenDatabase, openDatabase, openMemoryDatabase } from "../database/open.ts";
import { createOutbox } from "../database/outbox.ts";
import type { OpenPostgres } from "../database/postgres/open.ts";
import { Database } from "../database/sqlite.ts";
import { createSqliteDeadLetters } from "../dead-letters/dead-letters.ts";
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

describe("unreadable rows", () => {
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
      expect(await store.applyEach([productInput("a", { priceMinor: 5 }), input, productInput("d")])).toEqual(
        ["updated", "failed", "created"],
      );
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
});
