import { readdirSync, readFileSync, rmSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { fieldsOf, percentile } from "./rehearsal/figures.ts";
import { type ClusterClient, createClusterClient } from "./rehearsal/load/cluster-client.ts";
import { createSearchToken, runCommand, totalOf, wordOf } from "./rehearsal/load/imports.ts";
import type { Part } from "./rehearsal/parts/part.ts";
import type { ServicePart } from "./rehearsal/parts/service-part.ts";
import { type RehearsedCluster, startCluster } from "./rehearsal/start-cluster.ts";
import { writeSampleFeed } from "./support/bench-service.ts";
import { wholeNumber } from "./support/whole-number.ts";
import { trialRequests } from "./text/figures.ts";

export const help = `Usage: pnpm bench cluster [--products N] [--seconds N] [--service-nodes N] [--search-nodes N[,N…]] [--json]

Clusters of its own with PostgreSQL and service nodes of one thread each; with embedded indexes, with one OpenSearch node and
with three:

  --products N           in the catalog (default 2000)
  --seconds N            of searches, after half of that to warm up (default 20)
  --service-nodes N      measure with so many service nodes, and with each smaller number (default 3)
  --search-nodes N[,N…]  OpenSearch nodes, at most 3 each; 0 for embedded indexes (default 0,1,3)

The import of the whole catalog: seconds until all nodes find all products, memory and disk space of the largest part of each
kind. For searches (the mix of \`pnpm bench text\`): how many a second and their latency, with four connections. For the import
of 2000 changed products: seconds until they are found, and bytes of PostgreSQL's log for each one.
processorMs: processor time for each product, search or change in every kind of part, above that of the idle cluster; for the idle
cluster, for each second.
All parts and the load generator share the machine: with few cores, more nodes do not give more searches a second.`;

const report = (line: string) => console.error(line);

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "2000" },
      seconds: { type: "string", default: "20" },
      "service-nodes": { type: "string", default: "3" },
      "search-nodes": { type: "string", default: "0,1,3" },
      json: { type: "boolean" },
    },
  });
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopping.abort(new Error(`Stopped by ${signal}.`)));
  }
  const imports: ImportFigures[] = [];
  const clusters: ClusterFigures[] = [];
  const searchNodeCounts = values["search-nodes"]
    .split(",")
    .map((count) => wholeNumber("--search-nodes", count, 0, 3));
  for (const searchNodes of searchNodeCounts) {
    const measured = await measureClusters({
      serviceNodes: wholeNumber("--service-nodes", values["service-nodes"]),
      searchNodes,
      products: wholeNumber("--products", values.products),
      seconds: wholeNumber("--seconds", values.seconds),
      report,
      signal: stopping.signal,
    });
    imports.push(measured.imported);
    clusters.push(...measured.clusters);
  }
  if (values.json) console.log(JSON.stringify({ imports, clusters }));
  else console.dir({ imports, clusters }, { depth: null });
}

/** Linux counts processor time in hundredths of a second. */
const ticksPerSecond = 100;

/** Milliseconds of processor time of a process since its start, with those of its child processes, live and ended. */
function processorMs(pid: number): number {
  const own = readStat(pid);
  if (!own) return 0;
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid);
  const ticks = children.reduce((sum, child) => sum + (child?.ticks ?? 0), own.ticks + own.endedTicks);
  return (ticks * 1000) / ticksPerSecond;
}

/** Of child processes of a process that have ended. */
function endedChildrenMs(pid: number): number {
  return ((readStat(pid)?.endedTicks ?? 0) * 1000) / ticksPerSecond;
}

interface Stat {
  parent: number;
  ticks: number;
  /** Of children that have ended. */
  endedTicks: number;
}

/** See proc_pid_stat(5). */
function readStat(pid: number): Stat | undefined {
  try {
    // The second field is the name of the program in parentheses, and may contain spaces.
    const fields = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "")
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system, endedTicks: endedUser + endedSystem };
  } catch {
    return undefined;
  }
}

const importTimeoutMs = 3 * 3600_000;
const findTimeoutMs = 3 * 3600_000;

interface ImportFigures extends PartSizes {
  serviceNodes: number;
  searchNodes: number;
  products: number;
  /** Until each node finds all products. */
  seconds: number;
  /** For each product. */
  processorMs: ProcessorTimes;
}

interface ClusterFigures {
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
async function measureClusters(
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

/** Writes a feed of the first sample products with new prices. Returns the function that imports it. */
async function prepareImport(cluster: BenchCluster, products: number): Promise<() => Promise<void>> {
  cluster.feeds += 1;
  const word = wordOf(cluster.feeds);
  const path = join(cluster.folder, "feed.jsonl");
  // Without images, which would have to be described, and with another price each time.
  await writeSampleFeed(path, products, ({ originalPriceMinor: _, ...product }) => ({
    ...product,
    priceMinor: product.priceMinor + cluster.feeds,
    description: `${product.description} ${word}`,
    images: [],
  }));
  return async () => {
    const args = ["import", path, "--source", "catalog", "--json"];
    const summary = fieldsOf(await runCommand(args, cluster.commandEnvironment, importTimeoutMs));
    const stored = Number(summary.created) + Number(summary.updated);
    if (stored !== products) throw new Error(`${stored} of ${products} products were imported.`);
    rmSync(path);
    await untilFound(cluster, word, products);
  };
}

/** Until each node finds all products with the word. */
async function untilFound({ client, nodes, signal }: BenchCluster, word: string, products: number) {
  const path = `/api/v1/search/catalog?count=1&literal=true&q=${word}`;
  const deadline = performance.now() + findTimeoutMs;
  for (const node of nodes()) {
    while (totalOf(await client.requestFrom(node, path)) !== products) {
      signal.throwIfAborted();
      if (performance.now() > deadline) throw new Error(`${node.name} does not find all imported products.`);
      await delay(100);
    }
  }
}

/** Of the largest part of each kind, in megabytes. */
interface PartSizes {
  memoryMb: Record<string, number>;
  diskMb: Record<string, number>;
}

async function measureSizes(cluster: BenchCluster): Promise<PartSizes> {
  const memoryMb: Record<string, number> = {};
  const diskMb: Record<string, number> = {};
  for (const { name, kind, process } of cluster.parts()) {
    memoryMb[kind] = Math.max(memoryMb[kind] ?? 0, proportionalMb(process.pid() ?? 0));
    diskMb[kind] = Math.max(diskMb[kind] ?? 0, Math.round((await bytesIn(join(cluster.folder, name))) / 1e6));
  }
  return { memoryMb, diskMb };
}

/** Memory of a process and its child processes. What several processes share is counted in parts. */
function proportionalMb(pid: number): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOf(name, pid));
  const kilobytes = pids.map((one) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${one}/smaps_rollup`))?.[1] ?? 0),
  );
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}

function isOf(name: string, pid: number): boolean {
  return Number(name) === pid || Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1]) === pid;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
}

/** What the files take on the disk. Files may be removed meanwhile. */
async function bytesIn(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return 0;
  if (!stats.isDirectory()) return stats.blocks * 512;
  const names = await readdir(path).catch(() => []);
  const sizes = await Promise.all(names.map((name) => bytesIn(join(path, name))));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

interface BenchClusterSettings {
  serviceNodes: number;
  /** 0 for embedded indexes. */
  searchNodes: number;
  products: number;
  seconds: number;
  report(line: string): void;
  signal: AbortSignal;
}

interface BenchCluster extends Omit<RehearsedCluster, "nodes" | "parts"> {
  client: ClusterClient;
  signal: AbortSignal;
  /** How many feeds were written. */
  feeds: number;
  /** Those that run. */
  nodes(): ServicePart[];
  parts(): Part[];
  /** Ends service nodes until so many are left. */
  keepNodes(count: number): Promise<void>;
}

async function startBenchCluster(settings: BenchClusterSettings): Promise<BenchCluster> {
  const environment = {
    SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    TOKEN_RATE_LIMIT: "0",
    TRIAL_RATE_LIMIT: "0",
  };
  const cluster = await startCluster({ ...settings, environment, isDirect: true });
  let token = "";
  const client = createClusterClient(cluster.nodes, () => token);
  let left = settings.serviceNodes;
  const close = async () => {
    client.stop();
    await cluster.close();
  };
  try {
    token = await createSearchToken(cluster.commandEnvironment);
  } catch (error) {
    await close();
    throw error;
  }
  const nodes = () => cluster.nodes.slice(0, left);
  return {
    ...cluster,
    client,
    close,
    signal: settings.signal,
    feeds: 0,
    nodes,
    parts: () => [...cluster.parts.filter(({ kind }) => kind !== "service"), ...nodes()],
    async keepNodes(count) {
      const ended = nodes().slice(count);
      left = Math.min(left, count);
      await Promise.all(ended.map(({ process, stopSignal }) => process.stop(stopSignal, 60_000)));
    },
  };
}
