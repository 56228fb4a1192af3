import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { migrations } from "./migrations/index.ts";
import { openDatabase } from "./open.ts";
import type { Database } from "./schema.ts";

async function storeOfVersion(version: number): Promise<{ dataDir: string; connection: Sqlite.Database }> {
  const dataDir = await mkdtemp(join(tmpdir(), "migrate-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const connection = new Sqlite(join(dataDir, "store.sqlite"));
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: connection }) });
  for (const migration of Object.values(migrations).slice(0, version)) await migration.up(db);
  connection.pragma(`user_version = ${version}`);
  return { dataDir, connection };
}

test("a database that identified products by source and key keeps them and all rows that refer to them", async () => {
  const { dataDir, connection } = await storeOfVersion(7);
  connection.exec(
    `insert into products (row_id, source, key, id, slug, name, store_name, description, url, images, price_minor,
       availability, review_count, is_verified, is_boosted, discount_val, price_since, created_at, updated_at)
     values (7, 'catalog', 'a', 'ida', 'lamp', 'Lamp', 'S', '', '/a', '[]', 100, 'in_stock', 0, 0, 0, 0, 1, 2, 3);
     insert into price_history (product_row_id, price_minor, at) values (7, 100, 1);
     insert into changes (product_row_id) values (7);`,
  );
  const before = connection.prepare("select * from products").all();
  connection.close();

  const { connection: migrated, close } = await openDatabase(dataDir);
  const added = {
    gtin: null,
    language: null,
    category_paths: null,
    group_id: null,
    attributes: null,
    mpn: null,
    popularity: 0,
  };
  expect(migrated.prepare("select * from products").all()).toEqual(
    before.map((row) => Object.assign({}, row, added)),
  );
  expect(migrated.pragma("foreign_key_check")).toEqual([]);
  const addPrice = migrated.prepare(
    "insert into price_history (product_row_id, price_minor, at) values (?, 1, 1)",
  );
  addPrice.run(7);
  expect(() => addPrice.run(8)).toThrow("FOREIGN KEY");
  await close();
});

test("a webhook's former key is kept when it moves to its own row", async () => {
  const { dataDir, connection } = await storeOfVersion(11);
  connection.exec(
    `insert into accounts values ('acc', 'acme', 0);
     insert into webhooks (row_id, id, account_id, url, type, key, former_key, former_key_until, created_at, void_through)
     values (1, 'wh_1', 'acc', 'https://a.example/', 'price.alert', x'01', x'02', 99, 0, 0),
            (2, 'wh_2', 'acc', 'https://b.example/', 'price.alert', x'03', null, null, 0, 0);`,
  );
  connection.close();

  const { connection: migrated, close } = await openDatabase(dataDir);
  const former = migrated.prepare(
    "select webhook_row_id as webhook, hex(key) as key, until from webhook_former_keys",
  );
  expect(former.all()).toEqual([{ webhook: 1, key: "02", until: 99 }]);
  expect(migrated.prepare("select hex(key) as key from webhooks").all()).toEqual([
    { key: "01" },
    { key: "03" },
  ]);
  await close();
});

test("feeds that have not changed are read again by a release that keeps more of their columns", async () => {
  const { dataDir, connection } = await storeOfVersion(28);
  connection.exec(
    `insert into feeds (source, url, etag, last_modified, is_full, imported_at)
     values ('catalog', 'https://shop.example/feed', '"1"', 'yesterday', 0, 5)`,
  );
  connection.close();

  const { connection: migrated, close } = await openDatabase(dataDir);
  expect(migrated.prepare("select * from feeds").all()).toMatchObject([
    { url: "https://shop.example/feed", etag: null, last_modified: null, imported_at: 5 },
  ]);
  await close();
});

test("a database written by a newer release is refused with a remedy", async () => {
  const { dataDir, connection } = await storeOfVersion(Object.keys(migrations).length);
  connection.pragma("user_version = 99");
  connection.close();
  await expect(openDatabase(dataDir)).rejects.toThrow(/version 99.*newer release/s);
});

test("the images of a product are kept, and no longer refer to the product", async () => {
  const { dataDir, connection } = await storeOfVersion(13);
  connection.pragma("foreign_keys = OFF");
  connection.exec(
    `insert into pictures (id, address, state, attempts, due_at) values (3, '/a', 'waiting', 0, 0);
     insert into product_pictures (product_row_id, picture_id) values (7, 3);`,
  );
  connection.close();

  const { connection: migrated, close } = await openDatabase(dataDir);
  expect(migrated.prepare("select * from product_pictures").all()).toEqual([
    { product_row_id: 7, picture_id: 3 },
  ]);
  expect(migrated.pragma("foreign_key_check")).toEqual([]);
  await close();
});

test("the audit entries of an older database can no longer be replaced, and new ones follow them", async () => {
  const { dataDir, connection } = await storeOfVersion(20);
  const insert = "into audit_log (row_id, at, action, subject, details, origin) values";
  connection.exec(
    `insert ${insert} (1, 0, 'token.created', 'one', '{}', 'here'), (2, 0, 'token.created', 'two', '{}', 'here')`,
  );
  connection.close();

  const { connection: migrated, close } = await openDatabase(dataDir);
  expect(() => migrated.exec(`replace ${insert} (1, 0, 'token.created', 'forged', '{}', 'here')`)).toThrow(
    "only ever appended to",
  );
  migrated.exec(`insert ${insert} (null, 0, 'token.created', 'three', '{}', 'here')`);
  expect(migrated.prepare("select subject from audit_log order by row_id").pluck().all()).toEqual([
    "one",
    "two",
    "three",
  ]);
  await close();
});
