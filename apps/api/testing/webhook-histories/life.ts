import { appendFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { startDeliveryWorker } from "@product-search/features/webhooks/delivery/delivery-worker.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
// The adapters are created directly: composing would load the whole service, and thousands of lives start here.
import { createSqliteCatalogStore } from "@product-search/stores/catalog-store/sqlite.ts";
import { type OpenDatabase, openDatabase } from "@product-search/stores/database/open.ts";
import { createOutbox } from "@product-search/stores/database/outbox.ts";
import { createSqliteDeliveryQueue } from "@product-search/stores/delivery-queue/sqlite.ts";
import { createAesGcmSecretBox } from "@product-search/stores/secret-box/aes-gcm.ts";
import { createHistory, type History, statesOf } from "@product-search/testing/webhook-histories/history.ts";
import { createRandom } from "@product-search/testing/webhook-histories/random.ts";
import { killAtWrite } from "./kill-at-write.ts";

/** The start parameters of a life, as JSON in its first argument. */
export interface LifePlan {
  /** The histories that run at the same time, each on its own database. */
  histories: { seed: number; dataDir: string }[];
  /** The write at which it is killed; without it, it runs to the end. */
  atWrite?: number;
  /** The virtual time at the real time `sinceMs`. */
  nowMs: number;
  sinceMs: number;
}

/** Five virtual minutes, the second pause between attempts, take 60 ms. */
const speed = 5000;
const settings = {
  total: 32,
  perAccount: 32,
  perWebhook: 8,
  firstPerWebhook: 2,
  pollMs: 5,
  heartbeatMs: 40,
  graceMs: 100,
};

const plan: LifePlan = JSON.parse(process.argv[2] ?? "");
const clock = { now: () => plan.nowMs + (Date.now() - plan.sinceMs) * speed };
if (plan.atWrite !== undefined) killAtWrite(plan.atWrite);
await Promise.all(plan.histories.map(({ seed, dataDir }) => live(createHistory(seed), dataDir)));

async function live(history: History, dataDir: string): Promise<void> {
  const { connection, close } = await openStore(dataDir);
  const outbox = createOutbox(connection, { publicUrl: "http://service.test", currency: "USD" });
  const workers = await Promise.all(
    Array.from({ length: history.workers }, (_, worker) => startWorker(dataDir, history.seed + worker)),
  );
  await applyBatches(history, createSqliteCatalogStore({ connection, clock, outbox }), dataDir);
  const pending = connection.prepare("select 1 from deliveries where status = 'pending' limit 1");
  while (pending.get() !== undefined) await setTimeout(5);
  for (const stop of workers) await stop();
  await close();
}

/** The writes of a killed process survive without a flush. A flush only matters for a power cut, and it is slow. */
async function openStore(dataDir: string): Promise<OpenDatabase> {
  const database = await openDatabase(dataDir);
  database.connection.pragma("synchronous = OFF");
  return database;
}

async function startWorker(dataDir: string, seed: number): Promise<() => Promise<void>> {
  const { connection, close } = await openStore(dataDir);
  const secretBox = createAesGcmSecretBox({ secretKey: undefined, dataDir });
  const webhookHttp = createUndiciOutboundHttp({ allowNetworks: ["127.0.0.0/8"], httpsOnly: true });
  const deliveryQueue = createSqliteDeliveryQueue({ connection, clock, secretBox });
  const onError = (error: unknown) => console.error(error);
  const deps = { deliveryQueue, webhookHttp, clock, random: createRandom(seed).next, onError };
  const delivering = startDeliveryWorker(deps, settings);
  return async () => {
    await delivering.stop();
    await webhookHttp.close();
    await close();
  };
}

/** Continues where the killed life stopped: the catalog shows whether its last batch was applied. */
async function applyBatches(history: History, catalogStore: CatalogStore, dataDir: string): Promise<void> {
  const progress = join(dataDir, "batches-begun");
  const begun = existsSync(progress) ? statSync(progress).size : 0;
  const states = statesOf(history);
  const found = new Map((await catalogStore.scan(0, 1000)).map((product) => [product.key, product]));
  const isAt = (count: number) =>
    states[count]?.size === found.size &&
    [...(states[count] ?? [])].every(([key, { name, priceMinor, availability }]) => {
      const stored = found.get(key);
      return (
        stored?.name === name && stored.priceMinor === priceMinor && stored.availability === availability
      );
    });
  const done = isAt(begun) ? begun : begun - 1;
  if (!isAt(done))
    throw new Error(`The catalog is neither before nor after batch ${begun}: a batch was torn.`);
  for (const [number, batch] of history.batches.entries()) {
    if (number < done) continue;
    if (number >= begun) appendFileSync(progress, ".");
    await catalogStore.apply(batch);
    await setTimeout(3);
  }
}
