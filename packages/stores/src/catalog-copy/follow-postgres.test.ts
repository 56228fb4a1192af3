import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import type { ProductImageStore } from "@product-search/core/ports/images.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { type KyselyPlugin, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { createPostgresCatalogStore } from "../catalog-store/postgres.ts";
import { createSqliteCatalogStore } from "../catalog-store/sqlite.ts";
import type { OpenPostgres } from "../database/postgres/open.ts";
import {
  createPostgresProductImageStore,
  createSqliteProductImageStore,
} from "../product-image-store/product-image-store.ts";
import { type CopyFollower, type FollowState, followPostgres } from "./follow-postgres.ts";
import { type CatalogCopy, openCatalogCopy } from "./open-catalog-copy.ts";

const clock = systemClock;
const described = (id: number, ...values: number[]) =>
  ({ id, became: "described", descriptor: { model: "m", vector: Float32Array.from(values) } }) as const;

describeOnPostgres("a node's copy of the catalog", () => {
  let folder: string;
  let database: OpenPostgres;
  let truth: CatalogStore;
  let images: ProductImageStore;
  let copy: CatalogCopy;
  let local: CatalogStore;
  let follower: CopyFollower;
  let states: FollowState[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "catalog-copy-"));
    database = await openTestPostgres();
    truth = createPostgresCatalogStore({
      db: database.db,
      clock,
      presentation: { publicUrl: "https://shop.example", currency: "USD" },
    });
    images = createPostgresProductImageStore({ db: database.db, clock });
    await open();
  });
  afterEach(async () => {
    await follower.stop();
    await copy.close();
    await database.close();
    await rm(folder, { recursive: true });
  });
  const open = async () => {
    copy = await openCatalogCopy(folder);
    local = createSqliteCatalogStore({
      connection: copy.connection,
      clock,
      outbox: { record: () => undefined },
    });
    states = [];
    follower = followPostgres({
      db: database.db,
      copy,
      pollMs: 5,
      silentMs: 100,
      onState: (state) => void states.push(state),
    });
  };
  const caughtUp = async () => {
    const [products, vectors] = [await truth.lastSequence(), await images.lastSequence()];
    const isBehind = () =>
      copy.place("changes").sequence < products || copy.place("vector_changes").sequence < vectors;
    while (isBehind() || !copy.state().isComplete) await setTimeout(5);
  };
  const keys = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `k${from + index}`);
  /** As if the transactions of all later products had never been. */
  const loseAfter = async (last: number) => {
    await sql`delete from changes where sequence > ${last}`.execute(database.db);
    await sql`delete from change_marks where log = 'changes' and sequence > ${last}`.execute(database.db);
    await sql`delete from price_history where product_row_id > ${last}`.execute(database.db);
    await sql`delete from products where row_id > ${last}`.execute(database.db);
    await sql`update change_counters set last = ${last} where log = 'changes'`.execute(database.db);
    await sql`select setval('products_row_id_seq', ${last}::bigint)`.execute(database.db);
  };

  test("has the same products, prices and changes", async () => {
    await truth.apply(keys(0, 1200).map((key) => productInput(key)));
    await caughtUp();
    await truth.apply(keys(0, 40).map((key) => productInput(key, { priceMinor: 1500 })));
    await caughtUp();
    expect(await local.scan(0, 2000)).toEqual(await truth.scan(0, 2000));
    expect(await local.changesAfter(0, 2000)).toEqual(await truth.changesAfter(0, 2000));
    const rowIds = [1, 2, 3, 1200];
    expect(await local.priceHistories(rowIds, 10)).toEqual(await truth.priceHistories(rowIds, 10));
  });

  test("loses removed products, and has a product that was imported again as a new one", async () => {
    await truth.apply(keys(0, 3).map((key) => productInput(key)));
    await caughtUp();
    const [first, second] = await truth.scan(0, 2);
    await truth.remove([first?.id ?? "", second?.id ?? ""]);
    await truth.apply([productInput("k0", { priceMinor: 5 })]);
    await caughtUp();
    expect(await local.scan(0, 10)).toEqual(await truth.scan(0, 10));
    expect(await local.priceHistories([1, 2, 3, 4], 10)).toEqual(
      await truth.priceHistories([1, 2, 3, 4], 10),
    );
    expect(await local.changesAfter(0, 10)).toEqual(await truth.changesAfter(0, 10));
  });

  test("starts again when a release that knew fewer columns wrote it", async () => {
    const attributes = { color: ["Black"] };
    await truth.apply([productInput("a", { attributes })]);
    await caughtUp();
    await follower.stop();
    copy.connection.exec("update products set attributes = null; update copy_columns set names = 'name'");
    await copy.close();
    await open();
    while (!copy.hasAllColumns()) await setTimeout(5);
    await caughtUp();
    expect(await local.scan(0, 10)).toMatchObject([{ attributes }]);
    expect(states.filter(({ hasBegunAnew }) => hasBegunAnew)).toHaveLength(1);
  });

  test("has the same vectors, and loses those of unused images", async () => {
    await truth.apply(keys(0, 2).map((key) => productInput(key)));
    await images.note(
      [
        { rowId: 1, addresses: ["/a", "/b"] },
        { rowId: 2, addresses: ["/b"] },
      ],
      2,
    );
    await images.record([described(1, 1, 0), described(2, 0, 1)]);
    await caughtUp();
    const mine = createSqliteProductImageStore({ db: copy.db, clock });
    expect(await mine.scan("m", 0, 10)).toEqual(await images.scan("m", 0, 10));
    await images.note([{ rowId: 1, addresses: ["/b"] }], 3);
    await caughtUp();
    expect(await mine.scan("m", 0, 10)).toEqual(await images.scan("m", 0, 10));
    expect(copy.connection.prepare("select count(*) from picture_vectors").pluck().get()).toBe(1);
    expect(await mine.changesAfter(0, 10)).toEqual(await images.changesAfter(0, 10));
  });

  test("continues after a restart", async () => {
    await truth.apply(keys(0, 10).map((key) => productInput(key)));
    await caughtUp();
    const { epoch } = copy.state();
    await follower.stop();
    await copy.close();
    await truth.apply([productInput("k3", { priceMinor: 1 })]);
    await open();
    await caughtUp();
    expect(copy.state().epoch).toBe(epoch);
    expect(await local.findByRowIds([4])).toMatchObject([{ key: "k3", priceMinor: 1 }]);
  });

  test("starts again when the database was restored, even if it has more changes than the copy since", async () => {
    await truth.apply(keys(0, 5).map((key) => productInput(key)));
    await caughtUp();
    const { epoch } = copy.state();
    await follower.stop();
    await copy.close();
    // As after restoring a backup without the last two products and writing other products.
    await loseAfter(3);
    await truth.apply(["x", "y", "z"].map((key) => productInput(key)));
    await open();
    while (copy.state().epoch === epoch) await setTimeout(5);
    await caughtUp();
    expect(states.some(({ hasBegunAnew }) => hasBegunAnew)).toBe(true);
    expect((await local.scan(0, 10)).map(({ key }) => key)).toEqual(["k0", "k1", "k2", "x", "y", "z"]);
    expect(await local.scan(0, 10)).toEqual(await truth.scan(0, 10));
  });

  test("starts again when a transaction was lost of which it had copied only a part", async () => {
    await follower.stop();
    await truth.apply(keys(0, 700).map((key) => productInput(key)));
    const halfway = Promise.withResolvers<void>();
    follower = followPostgres({
      db: database.db,
      copy,
      onState() {
        void follower.stop();
        halfway.resolve();
      },
    });
    await halfway.promise;
    await follower.stop();
    expect(copy.place("changes").sequence).toBe(500);
    // As after a failover to a server that lacks the transaction, and others since.
    await sql`truncate products, price_history, changes, change_marks restart identity cascade`.execute(
      database.db,
    );
    await sql`update change_counters set last = 0 where log = 'changes'`.execute(database.db);
    await truth.apply(keys(2_000, 2_600).map((key) => productInput(key)));
    await copy.close();
    await open();
    await caughtUp();
    expect(await local.scan(0, 2000)).toEqual(await truth.scan(0, 2000));
  });

  test("starts again when another server takes over between looking and copying", async () => {
    await truth.apply(keys(0, 3).map((key) => productInput(key)));
    await truth.apply(keys(3, 5).map((key) => productInput(key)));
    await caughtUp();
    await follower.stop();
    await truth.apply([productInput("k5")]);
    let results = 0;
    const failingOver: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        results += 1;
        if (results === 1) {
          await loseAfter(3);
          await truth.apply(keys(10, 16).map((key) => productInput(key)));
        }
        return result;
      },
    };
    states = [];
    follower = followPostgres({
      db: database.db.withPlugin(failingOver),
      copy,
      pollMs: 5,
      onState: (state) => void states.push(state),
    });
    // Before, the newest sequence could be that of the moment in which the later products are lost.
    while (!states.some(({ hasBegunAnew }) => hasBegunAnew)) await setTimeout(5);
    await caughtUp();
    expect(await local.scan(0, 10)).toEqual(await truth.scan(0, 10));
  });

  test("reports that PostgreSQL does not respond long before the statement fails", async () => {
    await truth.apply([productInput("a")]);
    await caughtUp();
    // Like a server that is paused in the middle of a statement.
    const released = Promise.withResolvers<void>();
    const locking = database.db.transaction().execute(async (transaction) => {
      await sql`lock table change_counters in access exclusive mode`.execute(transaction);
      await released.promise;
    });
    while (states.at(-1)?.error === undefined) await setTimeout(5);
    released.resolve();
    await locking;
    while (states.at(-1)?.error !== undefined) await setTimeout(5);
  });

  test.each([
    ["a slow PostgreSQL as reached", 400, false],
    ["one that always responds too late as missing", 100, true],
  ])("reports %s", async (_, silentMs, isMissing) => {
    await follower.stop();
    await truth.apply([productInput("a")]);
    const slow: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        await setTimeout(150);
        return result;
      },
    };
    const errors: unknown[] = [];
    follower = followPostgres({
      db: database.db.withPlugin(slow),
      copy,
      silentMs,
      onState: ({ error }) => void errors.push(error),
    });
    await caughtUp();
    while (errors.length < 3) await setTimeout(5);
    expect(errors.every((error) => (error !== undefined) === isMissing)).toBe(true);
  });

  test("reports that PostgreSQL cannot be reached, keeps its data, and catches up afterwards", async () => {
    await truth.apply([productInput("a")]);
    await caughtUp();
    await sql`alter table change_counters rename to away`.execute(database.db);
    while (states.at(-1)?.error === undefined) await setTimeout(5);
    expect(await local.scan(0, 10)).toHaveLength(1);
    expect(states.at(-1)?.missing).toBeUndefined();
    await sql`alter table away rename to change_counters`.execute(database.db);
    await truth.apply([productInput("b")]);
    await caughtUp();
    expect(await local.scan(0, 10)).toHaveLength(2);
  });
});
