import { setTimeout } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeCatalogStore } from "@product-search/testing/contracts/catalog-store/contract.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import type { OpenPostgres } from "../database/postgres/open.ts";
import { createSqlWrittenProducts } from "../written-products/sql.ts";
import { createPostgresCatalogStore } from "./postgres.ts";

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
