import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { composeSqliteStores, type SqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { readConfig } from "@product-search/api/config.ts";
import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { DeliveryTask, TaskResult } from "@product-search/core/ports/webhooks.ts";
import { createSqliteDeliveryQueue } from "@product-search/stores/delivery-queue/sqlite.ts";
import { wholeNumber } from "./support/whole-number.ts";
import type { Arrival } from "./webhooks/receiver-thread.ts";

const batch = 200;
const resultBatchSize = 500;

const unlimited = { webhook: Infinity, account: Infinity };

const webhooks = 100;
const manners = ["hanging", "slow", "resetting", "failing", "limiting"] as const;

export const help = `Usage: pnpm bench webhooks [--rate N] [--seconds N] [--events N] [--only NAME] [--json]

Deliveries a second, latency under a load of events, isolation of bad targets among 100, growth of the store.

  --rate N        events a second for the latency (default 500)
  --seconds N     how long each load lasts (default 8)
  --events N      for the growth of the store (default 100000)
  --only NAME     throughput, latency, isolation or growth`;

interface Extent {
  rate: number;
  seconds: number;
  events: number;
}

const measures: Record<string, (extent: Extent) => Promise<object>> = {
  throughput: () => measureThroughput(100, 100),
  latency: ({ rate, seconds }) => measureLatency(rate, seconds),
  isolation: ({ seconds }) => measureIsolation(2, seconds),
  growth: ({ events }) => measureGrowth(events),
};

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: "string", default: "500" },
      seconds: { type: "string", default: "8" },
      events: { type: "string", default: "100000" },
      only: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const figures: Record<string, object> = {};
  for (const [name, measure] of Object.entries(measures)) {
    if (values.only !== undefined && values.only !== name) continue;
    figures[name] = await measure({
      rate: wholeNumber("--rate", values.rate),
      seconds: wholeNumber("--seconds", values.seconds),
      events: wholeNumber("--events", values.events),
    });
  }
  console.log(values.json ? JSON.stringify(figures) : figures);
}

/** Deliveries per second from a backlog, to a receiver in the same process and on the same cores. */
async function measureThroughput(webhooks: number, events: number) {
  const fixture = await createWebhookFixture(500);
  for (let number = 0; number < webhooks; number++) await fixture.addWebhook(`ok/${number}`);
  for (let made = 0; made < events; made += 10) await fixture.change(10);
  fixture.startDelivery();
  while (fixture.countPending() > 0) await setTimeout(100);
  const times = (await fixture.arrivals()).map(({ atMs }) => atMs);
  await fixture.close();
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
  return { webhooks, deliveries: times.length, perSecond: round(times.length / seconds) };
}

/**
 * One hundred webhooks of one account. None, one of each kind, or all five misbehave, and the effect on the others is
 * measured. Rounds without misbehaving ones alternate with the others, so that other load affects both alike.
 */
async function measureIsolation(eventsPerSecond: number, seconds: number) {
  const baseline: number[] = [];
  const troubled: Record<string, number[]> = {};
  for (const bad of [...manners.map((manner) => [manner]), [...manners]]) {
    baseline.push(...(await observeOthers([], eventsPerSecond, seconds)));
    troubled[bad.join("+")] = await observeOthers(bad, eventsPerSecond, seconds);
  }
  const base = summarise(baseline);
  const against = (latency: Latency) => ({ ...latency, p95Ratio: round(latency.p95Ms / base.p95Ms, 3) });
  return {
    deliveriesPerSecond: eventsPerSecond * webhooks,
    none: base,
    ...Object.fromEntries(Object.entries(troubled).map(([bad, times]) => [bad, against(summarise(times))])),
  };
}

async function observeOthers(
  bad: readonly string[],
  eventsPerSecond: number,
  seconds: number,
): Promise<number[]> {
  const fixture = await createWebhookFixture(500);
  for (const manner of bad) await fixture.addWebhook(`${manner}/0`);
  for (let number = bad.length; number < webhooks; number++) await fixture.addWebhook(`ok/${number}`);
  fixture.startDelivery();
  await warmUp(fixture);
  const latencies = await observe(fixture, eventsPerSecond, seconds, (path) => path.startsWith("/ok/"));
  await fixture.close();
  return latencies;
}

/** Bytes that events, their deliveries and one attempt each take in the database, besides the price history. */
async function measureGrowth(events: number) {
  const products = Math.max(batch, events / 10);
  const [without, withWebhook] = [await createWebhookFixture(products), await createWebhookFixture(products)];
  await withWebhook.addWebhook("ok/0");
  const startedMs = performance.now();
  await changeAll(withWebhook, events);
  const perSecond = events / ((performance.now() - startedMs) / 1000);
  await changeAll(without, events);
  const history = without.storeBytes();
  const queued = withWebhook.storeBytes();
  await settleAll(withWebhook);
  const settled = withWebhook.storeBytes();
  await Promise.all([without.close(), withWebhook.close()]);
  return {
    events,
    bytesPerEvent: round((settled - history) / events),
    megabytesQueued: round((queued - history) / 1e6),
    megabytesSettled: round((settled - history) / 1e6),
    changesPerSecond: round(perSecond),
  };
}

async function changeAll(fixture: WebhookFixture, events: number): Promise<void> {
  for (let made = 0; made < events; made += batch) await fixture.change(Math.min(batch, events - made));
}

/** Records results like the delivery worker, but without sending. */
async function settleAll({ stores, countPending }: WebhookFixture): Promise<void> {
  const queue = createSqliteDeliveryQueue({ ...stores.database, ...stores });
  await queue.heartbeat();
  let results: TaskResult[] = [];
  const succeed = (task: DeliveryTask): TaskResult => ({
    task,
    attempt: { attemptedAtMs: Date.now(), durationMs: 20, responseStatus: 204, verdict: "succeeded" },
  });
  while (countPending() > 0) {
    const wanted = (await queue.waiting()).map((webhook) => ({
      webhook,
      count: resultBatchSize,
      room: unlimited,
    }));
    for (let rounds = 0; rounds < 100; rounds++) {
      results = (await queue.exchange(results, wanted, 0)).map(succeed);
      if (results.length === 0) break;
    }
  }
}

interface Latency {
  arrived: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

const tickMs = 100;

/** From the commit to the arrival of the first attempt, at this many events per second. */
async function measureLatency(eventsPerSecond: number, seconds: number) {
  const fixture = await createWebhookFixture(500);
  await fixture.addWebhook("ok/0");
  fixture.startDelivery();
  await warmUp(fixture);
  const latency = summarise(await observe(fixture, eventsPerSecond, seconds, () => true));
  await fixture.close();
  return { eventsPerSecond, ...latency };
}

/** Waits until something arrives: then the delivery thread is running. */
async function warmUp(fixture: WebhookFixture): Promise<void> {
  await fixture.change(1);
  while ((await fixture.arrivals()).length === 0) await setTimeout(tickMs);
  await setTimeout(500);
  await fixture.arrivals();
}

/** The milliseconds until each first arrival at the given paths. */
async function observe(
  fixture: WebhookFixture,
  eventsPerSecond: number,
  seconds: number,
  isOfInterest: (path: string) => boolean,
): Promise<number[]> {
  const committed = new Map<string, number>();
  const startMs = performance.now();
  let made = 0;
  while (performance.now() - startMs < seconds * 1000) {
    const due = Math.floor(((performance.now() - startMs) / 1000) * eventsPerSecond) - made;
    for (const [change, atMs] of due > 0 ? await fixture.change(due) : []) committed.set(change, atMs);
    made += Math.max(0, due);
    await setTimeout(tickMs);
  }
  await setTimeout(2000);
  const first = new Map<string, number>();
  for (const { path, change, atMs } of await fixture.arrivals()) {
    const since = committed.get(change);
    const key = `${path} ${change}`;
    if (since !== undefined && isOfInterest(path) && !first.has(key)) first.set(key, atMs - since);
  }
  return [...first.values()];
}

function summarise(latencies: readonly number[]): Latency {
  return {
    arrived: latencies.length,
    p50Ms: round(quantile(latencies, 0.5)),
    p95Ms: round(quantile(latencies, 0.95)),
    p99Ms: round(quantile(latencies, 0.99)),
  };
}

interface WebhookFixture {
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
async function createWebhookFixture(products: number): Promise<WebhookFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-webhooks-"));
  const environment = { DATA_DIR: dataDir, LOG_LEVEL: "silent", WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };
  const stores = await composeSqliteStores(readConfig(environment));
  const { connection } = stores.database;
  const { id: accountId } = await stores.accountStore.ensureAccount("bench");
  const receiver = new Worker(new URL("./webhooks/receiver-thread.ts", import.meta.url));
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
      delivery = new Worker(new URL("./webhooks/delivery-thread.ts", import.meta.url), {
        workerData: environment,
      });
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

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function round(value: number, digits = 1): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
