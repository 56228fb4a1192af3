import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { percentile } from "../rehearsal/figures.ts";
import type { Part } from "../rehearsal/parts/part.ts";
import { trialRequests } from "../text/trial-requests.ts";
import { type BenchCluster, type BenchClusterSettings, startBenchCluster } from "./bench-cluster.ts";
import { endedChildrenMs, processorMs } from "./cpu-time.ts";
import { prepareImport } from "./import-feed.ts";
import { measureSizes, type PartSizes } from "./part-sizes.ts";

export interface ImportFigures extends PartSizes {
  serviceNodes: number;
  searchNodes: number;
  products: number;
  /** Until each node finds all products. */
  seconds: number;
  /** For each product. */
  processorMs: ProcessorTimes;
}

export interface ClusterFigures {
  serviceNodes: number;
  searchNodes: number;
  products: number;
  /** For each second, without requests. */
  idle: { processorMs: ProcessorTimes };
  searches: { perSecond: number; p50Ms: number; p99Ms: number; failed: number; processorMs: ProcessorTimes };
  changes: { count: number; secondsUntilFound: number; walBytes: number; processorMs: ProcessorTimes };
}

const connections = 4;
const differentSearches = 1000;
const changedProducts = 2000;
const idleSeconds = 5;
const nothing: Measured = { seconds: 1, processorMs: {} };

/** Imports into a cluster with all service nodes. Then measures it with all of them, and again whenever one was stopped. */
export async function measureClusters(
  settings: BenchClusterSettings,
): Promise<{ imported: ImportFigures; clusters: ClusterFigures[] }> {
  const { serviceNodes, searchNodes, products, report } = settings;
  const cluster = await startBenchCluster(settings);
  try {
    const idle = await measureProcessor(cluster.parts(), () => delay(idleSeconds * 1000));
    const importAll = await prepareImport(cluster, products);
    report(`Importing ${products} products …`);
    const used = await measureProcessor(cluster.parts(), importAll);
    const imported = {
      ...{ serviceNodes, searchNodes, products },
      seconds: Math.round(used.seconds * 10) / 10,
      processorMs: perUnit(used, idle, products),
      ...(await measureSizes(cluster)),
    };
    report(JSON.stringify(imported));
    const clusters: ClusterFigures[] = [];
    for (let left = serviceNodes; left >= 1; left -= 1) {
      await cluster.keepNodes(left);
      clusters.unshift(await measureNodes(cluster, settings));
      report(JSON.stringify(clusters[0]));
    }
    return { imported, clusters };
  } finally {
    await cluster.close();
  }
}

async function measureNodes(cluster: BenchCluster, settings: BenchClusterSettings): Promise<ClusterFigures> {
  const { searchNodes, products, seconds } = settings;
  await searchFor(cluster, products, seconds / 2);
  const idle = await measureProcessor(cluster.parts(), () => delay(idleSeconds * 1000));
  const searches = await measureSearches(cluster, idle, settings);
  const changes = await measureChanges(cluster, idle, products);
  return {
    ...{ serviceNodes: cluster.nodes().length, searchNodes, products },
    idle: { processorMs: perUnit(idle, nothing, idle.seconds) },
    searches,
    changes,
  };
}

async function measureSearches(
  cluster: BenchCluster,
  idle: Measured,
  { products, seconds }: BenchClusterSettings,
): Promise<ClusterFigures["searches"]> {
  let found = { latencies: [] as number[], failed: 0 };
  const used = await measureProcessor(cluster.parts(), async () => {
    found = await searchFor(cluster, products, seconds);
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
async function searchFor({ client, nodes, signal }: BenchCluster, products: number, seconds: number) {
  const paths = shuffled(trialRequests(new URL("http://node/api/v1"), differentSearches, products));
  const latencies: number[] = [];
  let failed = 0;
  let turn = 0;
  const running = nodes();
  const end = performance.now() + seconds * 1000;
  const connect = async () => {
    while (performance.now() < end && !signal.aborted) {
      turn += 1;
      const node = running[turn % running.length];
      const sentMs = performance.now();
      const reply = node && (await client.requestFrom(node, paths[turn % paths.length] ?? ""));
      if (reply?.status === 200) latencies.push(performance.now() - sentMs);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connect));
  return { latencies, failed };
}

/** Always in the same order, and all kinds of searches in each part of it. */
function shuffled(paths: readonly string[]): string[] {
  const step = 389;
  return paths.map((_, at) => paths[(at * step) % paths.length] ?? "");
}

async function measureChanges(
  cluster: BenchCluster,
  idle: Measured,
  products: number,
): Promise<ClusterFigures["changes"]> {
  const count = Math.min(products, changedProducts);
  const importChanges = await prepareImport(cluster, count);
  const walBefore = await walPosition(cluster);
  const used = await measureProcessor(cluster.parts(), importChanges);
  return {
    count,
    secondsUntilFound: Math.round(used.seconds * 10) / 10,
    walBytes: Math.round(((await walPosition(cluster)) - walBefore) / count),
    processorMs: perUnit(used, idle, count),
  };
}

/** How many bytes PostgreSQL has written to its log. */
async function walPosition({ databaseUrl }: BenchCluster): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(`select (pg_current_wal_insert_lsn() - '0/0')::float8 as position`);
    return Number(rows[0]?.position);
  } finally {
    await client.end();
  }
}

/** Milliseconds by kind of part; `command` is the import command. */
export type ProcessorTimes = Record<string, number>;

export interface Measured {
  seconds: number;
  processorMs: ProcessorTimes;
}

export async function measureProcessor(
  parts: readonly Part[],
  work: () => Promise<unknown>,
): Promise<Measured> {
  const read = () => parts.map((part) => processorMs(part.process.pid() ?? 0));
  const startedMs = performance.now();
  const before = read();
  const commandsBefore = endedChildrenMs(process.pid);
  await work();
  const after = read();
  const processorTimes: ProcessorTimes = { command: endedChildrenMs(process.pid) - commandsBefore };
  for (const [at, { kind }] of parts.entries()) {
    processorTimes[kind] = (processorTimes[kind] ?? 0) + (after[at] ?? 0) - (before[at] ?? 0);
  }
  return { seconds: (performance.now() - startedMs) / 1000, processorMs: processorTimes };
}

/** Milliseconds for each unit, above what the idle cluster uses in that time. */
export function perUnit(used: Measured, idle: Measured, units: number): ProcessorTimes {
  const entries = Object.entries(used.processorMs).map(([kind, ms]) => {
    const idleMs = ((idle.processorMs[kind] ?? 0) / idle.seconds) * used.seconds;
    return [kind, Math.round((Math.max(0, ms - idleMs) / units) * 1000) / 1000] as const;
  });
  return Object.fromEntries(entries);
}
