import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { resumeImport } from "@product-search/features/catalog/import/resume-import.ts";
import { createRandom } from "@product-search/sample-catalog";
import { testSeed } from "@product-search/testing/seed.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

const cli = new URL("../../dist/main.js", import.meta.url).pathname;
const products = 1500;
const kills = 20;

let fixture: ImportFixture;
beforeAll(async () => {
  fixture = await createImportFixture();
  const { id: parentId } = await fixture.stores.accountStore.ensureAccount("killed");
  const webhook = {
    accountId: parentId,
    url: "https://hooks.example/x",
    type: "price.alert",
    key: "whsec_a2V5",
  } as const;
  await fixture.stores.webhookStore.create(webhook, 1);
});
afterAll(() => fixture.close());

const feedOf = (price: number) =>
  Array.from({ length: products }, (_, at) => nativeLine(`k${at}`, { price })).join("");

function startImport(feed: string): ChildProcess {
  return spawn(process.execPath, [cli, "import", feed, "--source", "catalog", "--full"], {
    env: { ...process.env, DATA_DIR: fixture.dataDir },
    stdio: ["ignore", "ignore", "pipe"],
  });
}

/** It writes first when it begins to read the feed. */
async function firstOutput({ stderr }: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (stderr) await Promise.race([once(stderr, "data"), ended]);
}

/** The milliseconds from its first output to its end. */
async function timeImport(feed: string): Promise<number> {
  const child = startImport(fixture.file(feed));
  const ended = once(child, "exit");
  await firstOutput(child, ended);
  const startedAt = performance.now();
  child.stderr?.resume();
  await ended;
  return Math.round(performance.now() - startedAt);
}

/** An invariant at any time: product, history, change and event exist together or not at all. */
function expectConsistent(): void {
  const { connection } = fixture.stores.database;
  const count = (sql: string) => Number(connection.prepare(sql).pluck().get());
  const stored = count("select count(*) from products");
  const entries = count("select count(*) from price_history");
  expect(count("select count(*) from changes")).toBe(stored);
  expect(count("select count(*) from webhook_events")).toBe(entries - stored);
  expect(count("select count(*) from deliveries")).toBe(entries - stored);
  const newest =
    "(select price_minor from price_history where product_row_id = row_id order by at desc limit 1)";
  expect(count(`select count(*) from products where price_minor <> ${newest}`)).toBe(0);
}

test(`an import killed at ${kills} random moments leaves nothing half applied, and the next start finishes it`, async () => {
  const random = createRandom(testSeed("the moments of the kills"));
  let interrupted = 0;
  // How long an import takes here, measured on one that changes prices. The first one only creates products.
  await timeImport(feedOf(101));
  const whole = await timeImport(feedOf(102));
  for (let round = 1; round <= kills; round += 1) {
    const child = startImport(fixture.file(feedOf(round)));
    // Awaited from the start, because a fast machine may finish before the kill.
    const ended = once(child, "exit");
    await firstOutput(child, ended);
    await setTimeout(random.between(0, whole));
    child.kill("SIGKILL");
    await ended;
    expectConsistent();
    if ((await resumeImport(fixture.deps, new AbortController().signal)) !== undefined) interrupted += 1;
    expectConsistent();
    const prices = fixture.stores.database.connection
      .prepare("select distinct price_minor from products")
      .pluck()
      .all();
    expect(prices.length).toBeLessThanOrEqual(1);
  }
  // Otherwise the times were badly chosen and nothing was tested.
  expect(interrupted).toBeGreaterThan(0);
  await fixture.run(fixture.file(feedOf(99)), { absent: "out_of_stock" });
  expect(await fixture.stores.catalogStore.countBySource()).toMatchObject({ catalog: products });
  expectConsistent();
});
