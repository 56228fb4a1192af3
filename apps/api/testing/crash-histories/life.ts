import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { importFeed } from "@product-search/features/catalog-write/import/import-feed.ts";
import {
  type DeliveryWorkerDeps,
  startDeliveryWorker,
} from "@product-search/features/webhooks/delivery/delivery-worker.ts";
import { createSqliteDeliveryQueue } from "@product-search/stores/delivery-queue/sqlite.ts";
import { createRandom } from "@product-search/testing/seed.ts";
import { composeImport } from "../../src/compose/import.ts";
import { composeSqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import { killAtWrite } from "../import-fixture.ts";
import { doStep, type StepDeps, toNativeRow } from "./do-step.ts";
import { type Acknowledgement, type Delivered, deliveredLog, type LifePlan } from "./life-plan.ts";
import { createSteps } from "./steps.ts";

const settings = {
  total: 16,
  perAccount: 16,
  perWebhook: 4,
  firstPerWebhook: 2,
  pollMs: 5,
  heartbeatMs: 40,
  graceMs: 100,
};

const plan: LifePlan = JSON.parse(process.argv[2] ?? "");
const startedMs = performance.now();
const clock = { now: () => plan.nowMs + Math.round(performance.now() - startedMs) };
if (plan.atWrite !== undefined) killAtWrite(plan.atWrite);
await Promise.all(plan.histories.map(live));
process.disconnect?.();

async function live({ seed, dataDir, told }: LifePlan["histories"][number]): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const open = async () => {
    const stores = await composeSqliteStores(config, clock);
    // The writes of a killed process survive without a flush. A flush only matters for a power cut, and it is slow.
    stores.database.connection.pragma("synchronous = OFF");
    return stores;
  };
  const [stores, ofWorker] = [await open(), await open()];
  const { id: accountId } = await stores.accountStore.ensureAccount("partner");
  const imports = composeImport(config, stores);
  const deps: StepDeps = {
    stores,
    accountId,
    applyFeed: async (rows) => {
      const feed = join(dataDir, "feed.jsonl");
      writeFileSync(feed, rows.map(toLine).join(""));
      const onDiscarded = (error: Error) => console.error(error);
      const observer = { onStep: () => {}, onReject: () => {}, onDiscarded };
      const options = { feed, source: "catalog", absent: "keep" } as const;
      if (rows.length > 0) await importFeed(imports, options, observer, new AbortController().signal);
    },
  };
  const delivering = startDeliveryWorker(
    {
      deliveryQueue: createSqliteDeliveryQueue({
        ...ofWorker.database,
        clock,
        secretBox: ofWorker.secretBox,
      }),
      webhookHttp: createRecorder(dataDir),
      clock,
      random: createRandom(seed).next,
      onError: (error) => console.error(error),
    },
    settings,
  );
  for (const [number, step] of createSteps(seed).entries()) {
    if (number < told.length) continue;
    told.push(await doStep(deps, step, number, told));
    process.send?.({ seed, number, told: told[number] ?? {} } satisfies Acknowledgement);
  }
  // Deliveries leased by a killed worker count as well.
  const pending = stores.database.connection.prepare(
    `select 1 from deliveries d join webhooks w on w.row_id = d.webhook_row_id
     where d.status = 'pending' and w.deleted_at is null limit 1`,
  );
  while (pending.get() !== undefined) await setTimeout(5);
  await delivering.stop();
  await imports.close();
  await stores.close();
  await ofWorker.close();
}

/** Receives deliveries without a network: writes each one to a file, so that a kill cannot undo it, and accepts it. */
function createRecorder(dataDir: string): DeliveryWorkerDeps["webhookHttp"] {
  return {
    async send({ url, headers }) {
      const delivered: Delivered = { url, event: headers?.["webhook-id"] ?? "" };
      appendFileSync(join(dataDir, deliveredLog), `${JSON.stringify(delivered)}\n`);
      await setTimeout(1);
      return {
        url,
        status: 204,
        headers: {},
        body: (async function* () {})(),
        bytes: async () => new Uint8Array(),
        discard: () => {},
      };
    },
  };
}

function toLine(row: ProductInput): string {
  return `${JSON.stringify(toNativeRow(row))}\n`;
}
