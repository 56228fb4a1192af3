import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { LeaseLostError } from "@product-search/core/ports/leases.ts";
import type { Database } from "@product-search/stores/database/schema.ts";
import { acquireLease } from "@product-search/stores/leases/postgres.ts";
import { describeOnPostgres, openTestPostgres } from "@product-search/stores/testing/postgres.ts";
import { type Kysely, sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../config.ts";
import { composeCleanup } from "./clean-up.ts";
import { composeStores } from "./stores/stores.ts";
import { composeDelivery } from "./webhooks.ts";

const tables = ["idempotency", "images", "webhook_events", "query_hours"];

async function createCluster() {
  const { url, db, close } = await openTestPostgres();
  onTestFinished(close);
  const openNode = async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "clean-up-"));
    const config = readConfig({
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    });
    const stores = await composeStores(config);
    onTestFinished(async () => {
      await stores.close();
      rmSync(dataDir, { recursive: true });
    });
    return { config, stores };
  };
  return { db, openNode };
}

async function addExpired(db: Kysely<Database>) {
  for (const statement of [
    "insert into accounts (id, name, created_at) values ('a', 'a', 0)",
    "insert into idempotency (account_id, operation, key, request_hash, created_at, lease_until) values ('a', 'o', 'k', '', 0, 0)",
    "insert into images (slug, model, vector, expires_at) values ('s', 'm', '', 1)",
    "insert into query_hours (query, hour, searches, no_results, relaxed, results, clicks, positioned, positions) values ('q', 1, 1, 0, 0, 1, 0, 0, 0)",
    "insert into webhook_events (id, type, body, created_at) values ('e', 'price.alert', '{}', 0)",
  ])
    await sql.raw(statement).execute(db);
}

async function rowsOf(db: Kysely<Database>) {
  const counts = [];
  for (const table of tables) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(
      db,
    );
    counts.push(rows[0]?.rows);
  }
  return counts;
}

describeOnPostgres("the cleanup of a cluster", () => {
  test("is done by the holder of the lease alone, and by the next one when it has ended", async () => {
    const { db, openNode } = await createCluster();
    await acquireLease(db, { job: "cleanup", holder: "a killed node", leaseMs: 3000 });
    const [one, other] = [await openNode(), await openNode()];
    await addExpired(db);
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    for (const { config, stores } of [one, other]) {
      const cleaning = composeCleanup(config, stores, onError);
      onTestFinished(() => cleaning.stop());
      const delivering = composeDelivery(config, stores, { onError });
      onTestFinished(() => delivering.stop());
    }
    await setTimeout(1000);
    expect(await rowsOf(db)).toEqual([1, 1, 1, 1]);
    await vi.waitFor(async () => expect(await rowsOf(db)).toEqual([0, 0, 0, 0]), { timeout: 60_000 });
    expect(errors).toEqual([]);
  });

  test("is refused for a node whose lease another one has", async () => {
    const { db, openNode } = await createCluster();
    const { stores } = await openNode();
    await acquireLease(db, { job: "cleanup", holder: "this node", leaseMs: 0 });
    await acquireLease(db, { job: "cleanup", holder: "another node", leaseMs: 0 });
    await addExpired(db);
    const { signal } = new AbortController();
    const late = stores.cleanup({ job: "cleanup", number: 1, isHeld: async () => false, signal });
    await expect(late.idempotencyStore.removeExpired(10)).rejects.toThrow(LeaseLostError);
    await expect(late.uploadedImageStore.removeExpired(10)).rejects.toThrow(LeaseLostError);
    await expect(late.insightStore.removeBefore(stores.clock.now(), 10)).rejects.toThrow(LeaseLostError);
    await expect(late.deliveryQueue?.purge(stores.clock.now())).rejects.toThrow(LeaseLostError);
    expect(await rowsOf(db)).toEqual([1, 1, 1, 1]);
  });
});
