import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "@product-search/api/testing/webhook-histories/random.ts";
import { percentile } from "../rehearsal/figures.ts";
import { createLedger } from "../rehearsal/ledger.ts";
import { type ClusterClient, createClusterClient } from "../rehearsal/load/cluster-client.ts";
import { createImporter, createSearchToken, type Importer } from "../rehearsal/load/imports.ts";
import { groupWords, wordOf } from "../rehearsal/load/products.ts";
import { productsOf, totalOf } from "../rehearsal/load/replies.ts";
import type { Part } from "../rehearsal/parts/part.ts";
import { startCluster } from "../rehearsal/start-cluster.ts";
import { processorMs } from "./cpu-time.ts";

export interface ClusterBenchSettings {
  serviceNodes: number;
  searchNodes: number;
  products: number;
  seconds: number;
  report(line: string): void;
  signal: AbortSignal;
}

/** Milliseconds of processor time for each one, above what the idle cluster uses; per kind of part. */
type ProcessorTimes = Record<string, number>;

export interface ClusterFigures {
  serviceNodes: number;
  searchNodes: number;
  products: number;
  searches: { perSecond: number; p50Ms: number; p99Ms: number; failed: number; processorMs: ProcessorTimes };
  changes: { count: number; secondsUntilFound: number; processorMs: ProcessorTimes };
}

const connections = 4;
const changedProducts = 500;
const idleSeconds = 5;
const findTimeoutMs = 60_000;

export async function measureCluster(settings: ClusterBenchSettings): Promise<ClusterFigures> {
  const { serviceNodes, searchNodes, products, signal } = settings;
  const environment = {
    SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    TOKEN_RATE_LIMIT: "0",
    TRIAL_RATE_LIMIT: "0",
  };
  const cluster = await startCluster({ ...settings, environment, isDirect: true });
  let token = "";
  const client = createClusterClient(cluster.nodes, () => token);
  try {
    token = await createSearchToken(cluster.commandEnvironment);
    const importer = createImporter({
      ledger: createLedger(),
      folder: cluster.folder,
      environment: cluster.commandEnvironment,
      random: createRandom(1),
    });
    await importAndFind(client, importer, products, signal);
    await searchFor(client, products, settings.seconds / 2, signal);
    const idle = await measureProcessor(cluster.parts, () => delay(idleSeconds * 1000));
    const searches = await measureSearches(cluster.parts, idle, client, settings);
    const changes = await measureChanges(cluster.parts, idle, client, importer, signal);
    return { serviceNodes, searchNodes, products, searches, changes };
  } finally {
    client.stop();
    await cluster.close();
  }
}

interface Measured {
  seconds: number;
  /** Per kind of part. */
  processorMs: ProcessorTimes;
}

async function measureProcessor(parts: readonly Part[], work: () => Promise<unknown>): Promise<Measured> {
  const read = () => parts.map((part) => processorMs(part.process.pid() ?? 0));
  const startedMs = performance.now();
  const before = read();
  await work();
  const after = read();
  const processorTimes: ProcessorTimes = {};
  for (const [at, { kind }] of parts.entries()) {
    processorTimes[kind] = (processorTimes[kind] ?? 0) + (after[at] ?? 0) - (before[at] ?? 0);
  }
  return { seconds: (performance.now() - startedMs) / 1000, processorMs: processorTimes };
}

function perUnit(used: Measured, idle: Measured, units: number): ProcessorTimes {
  const entries = Object.entries(used.processorMs).map(([kind, ms]) => {
    const idleMs = ((idle.processorMs[kind] ?? 0) / idle.seconds) * used.seconds;
    return [kind, Math.round((Math.max(0, ms - idleMs) / units) * 100) / 100] as const;
  });
  return Object.fromEntries(entries);
}

async function measureSearches(
  parts: readonly Part[],
  idle: Measured,
  client: ClusterClient,
  { products, seconds, signal }: ClusterBenchSettings,
): Promise<ClusterFigures["searches"]> {
  let found = { latencies: [] as number[], failed: 0 };
  const used = await measureProcessor(parts, async () => {
    found = await searchFor(client, products, seconds, signal);
  });
  const { latencies, failed } = found;
  return {
    perSecond: Math.round(latencies.length / used.seconds),
    p50Ms: Math.round(percentile(latencies, 0.5) ?? 0),
    p99Ms: Math.round(percentile(latencies, 0.99) ?? 0),
    failed,
    processorMs: perUnit(used, idle, Math.max(1, latencies.length)),
  };
}

/** As many as a few connections reach, to all nodes by turns. */
async function searchFor(client: ClusterClient, products: number, seconds: number, signal: AbortSignal) {
  const random = createRandom(2);
  const latencies: number[] = [];
  let failed = 0;
  let turn = 0;
  const end = performance.now() + seconds * 1000;
  const connect = async () => {
    while (performance.now() < end && !signal.aborted) {
      turn += 1;
      const node = client.nodes[turn % client.nodes.length];
      const group = groupWords[turn % groupWords.length];
      const word = turn % 2 === 0 ? wordOf(random.integer(0, products - 1)) : `${group}&sort=price`;
      const sentMs = performance.now();
      const reply = node && (await client.requestFrom(node, `/api/v1/search/catalog?count=20&q=${word}`));
      if (reply?.status === 200) latencies.push(performance.now() - sentMs);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connect));
  return { latencies, failed };
}

async function measureChanges(
  parts: readonly Part[],
  idle: Measured,
  client: ClusterClient,
  importer: Importer,
  signal: AbortSignal,
): Promise<ClusterFigures["changes"]> {
  const used = await measureProcessor(parts, () => importAndFind(client, importer, changedProducts, signal));
  return {
    count: changedProducts,
    secondsUntilFound: Math.round(used.seconds * 10) / 10,
    processorMs: perUnit(used, idle, changedProducts),
  };
}

/** Imports the first products with new prices, and waits until every node finds the last one. */
async function importAndFind(
  client: ClusterClient,
  importer: Importer,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  if (!(await importer.importProducts(numbers))) throw new Error("The products could not be imported.");
  const price = importer.priceOf(count - 1);
  const deadline = performance.now() + findTimeoutMs;
  for (const node of client.nodes) {
    for (;;) {
      signal.throwIfAborted();
      const path = `/api/v1/search/catalog?count=1&literal=true&q=${wordOf(count - 1)}`;
      const reply = await client.requestFrom(node, path);
      if (totalOf(reply) === 1 && productsOf(reply)[0]?.price === price) break;
      if (performance.now() > deadline) throw new Error(`${node.name} does not find the imported products.`);
      await delay(100);
    }
  }
}
