import { setTimeout } from "node:timers/promises";
import { createToken } from "@product-search/features/accounts/accounts.ts";
import { openPostgres } from "@product-search/stores/database/postgres/open.ts";
import { migratedTables, otherTables } from "@product-search/stores/store-migration/migrate-store.ts";
import { createTestDatabase, describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { composeSqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { composeStores } from "../../src/compose/stores/stores.ts";
import { readConfig } from "../../src/config.ts";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";
import { testActor } from "../../testing/test-service.ts";

const secretKey = Buffer.alloc(32, 7).toString("base64");

async function makeStore() {
  const dataDir = makeDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const environment = { DATA_DIR: dataDir, SECRET_KEY: secretKey };
  expect(await run(["sample", "--products", "3000"], environment).exit).toBe(0);
  const stores = await composeSqliteStores(readConfig(environment));
  onTestFinished(() => stores.close());
  const { token, record } = await createToken(stores, testActor, {
    account: "acme",
    scopes: ["search", "webhooks"],
  });
  const wanted = {
    accountId: record.accountId,
    url: "https://hooks.example/1",
    type: "price.alert",
    key: "whsec_a",
  } as const;
  await stores.webhookStore.create(wanted, 10);
  await stores.synonymStore.replace(
    { added: ["plank => shelf"], removed: ["couch, settee, sofa"] },
    undefined,
  );
  await reprice(stores, 40, 7);
  const image = { slug: "img_1", descriptor: { model: "m", vector: Float32Array.of(1, 0) } };
  await stores.uploadedImages().keep([image]);
  const images = stores.productImages().written;
  await images.note([{ rowId: 1, addresses: ["/1", "/2"] }], 5);
  await images.record([{ id: 1, became: "described", descriptor: image.descriptor }]);
  return { dataDir, environment, stores, token };
}

/** Changes prices, which gives the webhook pending deliveries. */
async function reprice(
  stores: Pick<Awaited<ReturnType<typeof composeSqliteStores>>, "catalogStore">,
  count: number,
  priceMinor: number,
) {
  const products = await stores.catalogStore.scan(0, count);
  await stores.catalogStore.apply(products.map((product) => ({ ...product, priceMinor })));
}

async function makeTarget() {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const target = await openPostgres({ url });
  onTestFinished(() => target.close());
  const countProducts = async () =>
    (await sql<{ count: number }>`select count(*) as count from products`.execute(target.db)).rows[0]
      ?.count ?? 0;
  return { url, db: target.db, countProducts };
}

describeOnPostgres("migrate-store", () => {
  test("copies every table but those that end with the service", async () => {
    const { stores } = await makeStore();
    const tables = await stores.database.db.introspection.getTables();
    const known = [...migratedTables.map(({ name }) => name), ...otherTables];
    expect(known.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
  });

  test("copies a database in use; continues a killed run, and copies later changes", async () => {
    const { environment, stores, token } = await makeStore();
    const { url, db, countProducts } = await makeTarget();
    const migrate = () => run(["migrate-store", "--to", url, "--json"], environment);
    const killed = migrate();
    while ((await countProducts()) < 500) await setTimeout(2);
    killed.child.kill("SIGKILL");
    await killed.exit;
    expect(await countProducts()).toBeLessThan(3000);

    await reprice(stores, 10, 3);
    const finished = migrate();
    expect(await finished.exit, finished.output()).toBe(0);
    await reprice(stores, 5, 2);
    const followed = migrate();
    expect(await followed.exit, followed.output()).toBe(0);
    const { written, tables } = JSON.parse(followed.output().trim().split("\n").at(-1) ?? "");
    // 5 each of products, prices, changes, events and deliveries.
    expect(written).toBe(25);
    for (const { name, rows } of tables) {
      const counted = stores.database.connection.prepare(`select count(*) from ${name}`).pluck().get();
      expect([name, rows]).toEqual([name, counted]);
    }
    const config = readConfig({ ...environment, DATABASE_URL: url });
    const copied = await composeStores(config);
    expect(await copied.catalogStore.scan(0, 5000)).toEqual(await stores.catalogStore.scan(0, 5000));
    expect(await copied.catalogStore.lastSequence()).toBe(await stores.catalogStore.lastSequence());
    const pending = await db.selectFrom("deliveries").select("id").where("status", "=", "pending").execute();
    expect(pending).toHaveLength(55);
    expect(await copied.uploadedImages().find("img_1")).toMatchObject({ model: "m" });
    expect(await copied.synonymStore.read()).toMatchObject({ added: ["plank => shelf"] });
    expect(await copied.synonymStore.read()).toEqual(await stores.synonymStore.read());
    await reprice(copied, 1, 1);
    expect(await copied.catalogStore.lastSequence()).toBeGreaterThan(
      await stores.catalogStore.lastSequence(),
    );
    await copied.close();

    const node = await serve({
      ...environment,
      DATABASE_URL: url,
      THREADS: "1",
      DATA_DIR: `${environment.DATA_DIR}/node`,
    });
    const found = async () => {
      const response = await fetch(`${node.url}/api/v1/search/catalog?q=lamp`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return response.status === 200 ? Number(JSON.parse(await response.text()).count) : 0;
    };
    while ((await found()) === 0) await setTimeout(50);
    node.child.kill("SIGTERM");
    await node.exit;
    const late = migrate();
    expect(await late.exit).toBe(1);
    expect(late.output()).toContain("Create an empty database");
  });

  test("refuses a target with other data, and a source with an unfinished import", async () => {
    const { environment, stores } = await makeStore();
    const { url, db } = await makeTarget();
    const migrate = () => run(["migrate-store", "--to", url], environment);
    await db.insertInto("accounts").values({ id: "a", name: "other", created_at: 1 }).execute();
    const refused = migrate();
    expect(await refused.exit).toBe(1);
    expect(refused.output()).toContain("not empty");
    const { importJournal } = stores.importParts("");
    await importJournal.acquire("catalog", "feed", 1000);
    await importJournal.seal({
      source: "catalog",
      stagingFile: "x",
      startedAtMs: 0,
      absent: "keep",
      position: 0,
    });
    const sealed = migrate();
    expect(await sealed.exit).toBe(1);
    expect(sealed.output()).toContain("not finished");
  });
});
