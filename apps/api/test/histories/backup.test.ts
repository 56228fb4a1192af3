import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as Sqlite from "@product-search/stores/database/sqlite.ts";
import { expect, onTestFinished, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

const products = 1500;
const backups = 4;

async function command(dataDir: string, ...args: string[]): Promise<string> {
  const { exit, output } = run(args, { DATA_DIR: dataDir });
  if ((await exit) !== 0) throw new Error(`${args.join(" ")}: ${output()}`);
  return output();
}

/** Imports feeds with other prices, searches and creates webhooks, one after the other, until it is stopped. */
function startLoad(dataDir: string, folder: string, url: string, token: string) {
  const stopping = new AbortController();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const created: string[] = [];
  let searches = 0;
  let imports = 0;
  const importing = async () => {
    while (!stopping.signal.aborted) {
      const feed = join(folder, "feed.jsonl");
      const price = 10 + imports;
      writeFileSync(
        feed,
        Array.from({ length: products }, (_, at) => nativeLine(`k${at}`, { price })).join(""),
      );
      await command(dataDir, "import", feed, "--source", "catalog");
      imports += 1;
    }
  };
  const searching = async () => {
    while (!stopping.signal.aborted) {
      const response = await fetch(`${url}/api/v1/search/trial?q=lamp`);
      expect(response.status).toBe(200);
      searches += 1;
      await setTimeout(5);
    }
  };
  const registering = async () => {
    while (!stopping.signal.aborted && created.length < 90) {
      const body = JSON.stringify({ webhookUrl: "https://hooks.example/x", webhookType: "stock.alert" });
      const response = await fetch(`${url}/api/v1/webhooks`, { method: "POST", headers, body });
      const { data }: { data: { id: string } } = JSON.parse(await response.text());
      created.push(data.id);
      await setTimeout(50);
    }
  };
  const work = Promise.all([importing(), searching(), registering()]);
  return {
    created,
    /** After this, the database has changed: one import may have been committed before its end was counted, two not. */
    async untilImported() {
      const wanted = imports + 2;
      while (imports < wanted) await setTimeout(20);
    },
    async stop() {
      stopping.abort();
      await work;
      return { searches, imports };
    },
  };
}

/** An invariant at any time: product, history, change and event exist together or not at all. */
function assertConsistent(dataDir: string, webhooksBefore: readonly string[]): number {
  const connection = new Sqlite.Database(join(dataDir, "store.sqlite"));
  const count = (sql: string) => Number(connection.prepare(sql).pluck().get());
  const stored = count("select count(*) from products");
  const entries = count("select count(*) from price_history");
  expect(count("select count(*) from changes")).toBe(stored);
  expect(count("select count(*) from webhook_events")).toBe(entries - stored);
  expect(count("select count(*) from deliveries")).toBe(entries - stored);
  const newest =
    "(select price_minor from price_history where product_row_id = row_id order by at desc limit 1)";
  expect(count(`select count(*) from products where price_minor <> ${newest}`)).toBe(0);
  const ids = new Set(connection.prepare("select id from webhooks").pluck().all());
  expect(webhooksBefore.filter((id) => !ids.has(id))).toEqual([]);
  connection.close();
  return entries;
}

test("backups made during requests and imports are consistent, and can be served", {
  timeout: 240_000,
}, async () => {
  const root = makeDataDir();
  onTestFinished(() => removeDataDir(root));
  const [dataDir, folder] = [join(root, "data"), join(root, "backups")];
  mkdirSync(dataDir);
  const created = await command(
    dataDir,
    "token",
    "create",
    "--account",
    "a",
    "--scopes",
    "search,webhooks",
    "--json",
  );
  const { token } = JSON.parse(created);
  const service = await serve({ DATA_DIR: dataDir, THREADS: "1", TRIAL_RATE_LIMIT: "0", LOG_LEVEL: "warn" });
  onTestFinished(() => void service.child.kill("SIGKILL"));
  while ((await fetch(`${service.url}/readyz`)).status !== 200) await setTimeout(50);
  const register = await fetch(`${service.url}/api/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ webhookUrl: "https://hooks.example/x", webhookType: "price.alert" }),
  });
  expect(register.status).toBe(201);

  const load = startLoad(dataDir, root, service.url, token);
  const states: { path: string; entries: number }[] = [];
  for (let number = 1; number <= backups; number += 1) {
    await load.untilImported();
    // Each at another moment of the next import.
    await setTimeout(150 * number);
    const webhooksBefore = [...load.created];
    const report = JSON.parse(await command(dataDir, "backup", folder, "--keep", "3", "--json"));
    const restoredDir = join(root, `restored-${number}`);
    await command(restoredDir, "restore", report.path);
    states.push({ path: report.path, entries: assertConsistent(restoredDir, webhooksBefore) });
  }
  await expect(command(dataDir, "restore", folder)).rejects.toThrow("is in use");
  const { searches, imports } = await load.stop();
  service.child.kill("SIGTERM");
  expect(await service.exit).toBe(0);
  // The load was real: the database changed from backup to backup.
  expect(imports).toBeGreaterThan(0);
  expect(searches).toBeGreaterThan(50);
  expect(new Set(states.map(({ entries }) => entries)).size).toBe(backups);
  expect(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .toSorted(),
  ).toEqual(states.slice(-3).map(({ path }) => path));

  await command(dataDir, "restore", folder);
  const again = await serve({ DATA_DIR: dataDir, THREADS: "1", LOG_LEVEL: "warn" });
  onTestFinished(() => void again.child.kill("SIGKILL"));
  while ((await fetch(`${again.url}/readyz`)).status !== 200) await setTimeout(50);
  const headers = { authorization: `Bearer ${token}` };
  const found = await fetch(`${again.url}/api/v1/search/catalog?q=lamp`, { headers });
  expect(await found.json()).toMatchObject({ count: products });
  expect((await fetch(`${again.url}/api/v1/webhooks`, { headers })).status).toBe(200);
  again.child.kill("SIGTERM");
  expect(await again.exit).toBe(0);
});
