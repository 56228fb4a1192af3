import { productId } from "@product-search/core/domain/identity.ts";
import { type OpenDatabase, openDatabase } from "@product-search/stores/database/open.ts";
import type { OpenPostgres } from "@product-search/stores/database/postgres/open.ts";
import { type MigratedResult, migrateStore } from "@product-search/stores/store-migration/migrate-store.ts";
import { describeOnPostgres, openTestPostgres } from "@product-search/stores/testing/postgres.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { composeSqliteStores, type SqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import { makeDataDir, removeDataDir } from "../../testing/running-service.ts";

describeOnPostgres("a second run", () => {
  let dataDir: string;
  let stores: SqliteStores;
  let source: OpenDatabase;
  let target: OpenPostgres;
  beforeEach(async () => {
    dataDir = makeDataDir();
    stores = await composeSqliteStores(readConfig({ DATA_DIR: dataDir }));
    source = await openDatabase(dataDir);
    target = await openTestPostgres();
    await stores.catalogStore.apply([productInput("a"), productInput("b")]);
  });
  afterEach(async () => {
    await target.close();
    await source.close();
    await stores.close();
    removeDataDir(dataDir);
  });

  const migrate = (): Promise<MigratedResult> =>
    migrateStore({ connection: source.connection, db: target.db, onProgress: () => {} });
  const execute = (...statements: string[]) => {
    for (const statement of statements) stores.database.connection.exec(statement);
  };
  const removeFirst = () => stores.catalogStore.remove([productId("catalog", "a")]);

  test("copies a product that was removed and created again", async () => {
    await migrate();
    await removeFirst();
    await stores.catalogStore.apply([productInput("a")]);
    await migrate();
    const copied = await target.db
      .selectFrom("products")
      .select(["key", "row_id"])
      .orderBy("row_id")
      .execute();
    expect(copied).toEqual([
      { key: "b", row_id: 2 },
      { key: "a", row_id: 3 },
    ]);
    expect((await migrate()).written).toBe(0);
  });

  test.each([
    [
      "an image",
      "insert into pictures (address, state, attempts, due_at) values ('/1', 'waiting', 0, 0)",
      "pictures",
    ],
    [
      "a failed item",
      `insert into dead_letters (id, queue, item, error, failures, created_at)
       values (hex(randomblob(8)), 'images', '/1', 'e', 1, 0)`,
      "dead_letters",
    ],
  ] as const)("copies %s that was removed and noted again", async (_, insert, table) => {
    execute(insert);
    await migrate();
    execute(`delete from ${table}`, insert);
    await migrate();
    expect(await target.db.selectFrom(table).selectAll().execute()).toHaveLength(1);
  });

  test("removes any number of rows that the source has removed", async () => {
    const many = "with recursive n(at) as (select 1 union all select at + 1 from n where at < 6000)";
    execute(
      "insert into accounts values ('acc', 'acme', 0)",
      `insert into webhooks (row_id, id, account_id, url, type, key, created_at, void_through)
       values (1, 'wh', 'acc', 'https://hooks.example', 'price.alert', x'00', 0, 0)`,
      "insert into webhook_events (row_id, id, type, body, created_at) values (1, 'ev', 'price.alert', '{}', 0)",
      `insert into deliveries (id, webhook_row_id, event_row_id, kind, status, attempts, due_at, created_at)
       ${many} select 'd' || at, 1, 1, 'event', 'succeeded', 1, 0, 0 from n`,
      `insert into delivery_attempts (delivery_row_id, number, attempted_at, duration_ms)
       select row_id, 1, 0, 1 from deliveries`,
    );
    await migrate();
    execute("delete from delivery_attempts", "delete from deliveries where row_id <= 5999");
    await migrate();
    const left = await target.db.selectFrom("deliveries").select("row_id").execute();
    expect(left).toEqual([{ row_id: 6000 }]);
  });

  test("knows its target after the oldest product was removed, and another store's target", async () => {
    await migrate();
    await removeFirst();
    await migrate();
    execute("update store_migration set origin = 'another'");
    await expect(migrate()).rejects.toThrow("Create an empty database");
  });
});
