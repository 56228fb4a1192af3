import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { composeSqliteStores, type SqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { readConfig } from "@product-search/api/config.ts";
import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { Arrival } from "./receiver-thread.ts";

export interface WebhookFixture {
  stores: SqliteStores;
  addWebhook(path: string): Promise<void>;
  /** Changes the price of the next `count` products in one transaction. Returns each change and the time of its commit. */
  change(count: number): Promise<Map<string, number>>;
  startDelivery(): void;
  /** The deliveries received since the last call. */
  arrivals(): Promise<Arrival[]>;
  countPending(): number;
  storeBytes(): number;
  close(): Promise<void>;
}

/** A new database with this many products, a receiver on one thread and, once started, the delivery worker on another. */
export async function createWebhookFixture(products: number): Promise<WebhookFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-webhooks-"));
  const environment = { DATA_DIR: dataDir, LOG_LEVEL: "silent", WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };
  const stores = await composeSqliteStores(readConfig(environment));
  const { connection } = stores.database;
  const { id: accountId } = await stores.accountStore.ensureAccount("bench");
  const receiver = new Worker(new URL("./receiver-thread.ts", import.meta.url));
  const [address]: { port: number }[] = await once(receiver, "message");
  const prices = new Uint32Array(products).fill(1000);
  let delivery: Worker | undefined;
  let next = 0;

  const input = (number: number): ProductInput => ({
    source: "catalog",
    key: String(number),
    name: `Stoneware mug number ${number}, 350 ml`,
    brand: "Nordlys",
    storeName: "Nordlys Home",
    description: "A mug of glazed stoneware for coffee or tea, safe in the dishwasher and the microwave.",
    url: `/products/mug-${number}`,
    images: [`/images/mug-${number}.webp`],
    priceMinor: prices[number] ?? 0,
    availability: "in_stock",
  });
  for (let first = 0; first < products; first += 500) {
    const batch = Array.from({ length: Math.min(500, products - first) }, (_, at) => input(first + at));
    await stores.catalogStore.apply(batch);
  }

  return {
    stores,
    async addWebhook(path) {
      const url = `http://127.0.0.1:${address?.port}/${path}`;
      const webhook = {
        accountId,
        url,
        type: "price.alert",
        key: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      } as const;
      await stores.webhookStore.create(webhook, 100);
    },
    async change(count) {
      const numbers = Array.from({ length: count }, () => next++ % products);
      for (const number of numbers) prices[number] = (prices[number] ?? 0) + 1;
      await stores.catalogStore.apply(numbers.map(input));
      const committedMs = performance.timeOrigin + performance.now();
      const changes = numbers.map(
        (number) => `${productId("catalog", String(number))} ${(prices[number] ?? 0) / 100}`,
      );
      return new Map(changes.map((change) => [change, committedMs]));
    },
    startDelivery() {
      delivery = new Worker(new URL("./delivery-thread.ts", import.meta.url), { workerData: environment });
    },
    async arrivals() {
      receiver.postMessage("report");
      const [arrivals]: Arrival[][] = await once(receiver, "message");
      return arrivals ?? [];
    },
    countPending: () =>
      connection
        .prepare<[], { n: number }>("select count(*) as n from deliveries where status = 'pending'")
        .get()?.n ?? 0,
    storeBytes() {
      connection.pragma("wal_checkpoint(TRUNCATE)");
      return statSync(join(dataDir, "store.sqlite")).size;
    },
    async close() {
      await receiver.terminate();
      delivery?.postMessage("stop");
      if (delivery) await Promise.race([once(delivery, "exit"), setTimeout(8000)]);
      await stores.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function round(value: number, digits = 1): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
