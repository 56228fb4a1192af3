import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { composeImport } from "@product-search/api/compose/import.ts";
import { composeTextIndex } from "@product-search/api/compose/search/text-index.ts";
import { composeSqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { readConfig } from "@product-search/api/config.ts";
import { importFeed } from "@product-search/features/catalog-write/import/import-feed.ts";
import type { ImportStep } from "@product-search/features/catalog-write/import/import-summary.ts";
import { writeSampleFeed } from "./support/bench-service.ts";
import { wholeNumber } from "./support/whole-number.ts";

export const help = `Usage: pnpm bench import [--products N] [--json]
Writes N sample products as JSON Lines, imports them into an empty store while somebody else writes to it too, imports
them again, and builds the text index. A second thread builds parts of it, as in the
service. Seconds are of the wall, but for those of the CPU: these are of the one thread that imports, and of both that index, and
tell something on a busy machine too.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "100000" },
      json: { type: "boolean", default: false },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "bench-import-"));
  try {
    const figures = await measure(folder, wholeNumber("--products", values.products));
    console.log(values.json ? JSON.stringify(figures) : figures);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, products: number) {
  const feed = join(folder, "feed.jsonl");
  await writeSampleFeed(feed, products);
  const config = readConfig({ DATA_DIR: join(folder, "data"), LOG_LEVEL: "silent" });
  const stores = await composeSqliteStores(config);
  const deps = composeImport(config, stores);
  const importOnce = async () => {
    const phases = phaseTimer();
    const options = { feed, source: "catalog", absent: "keep" } as const;
    const observer = { onStep: phases.step, onReject: () => {}, onDiscarded: fail };
    const summary = await importFeed(deps, options, observer, new AbortController().signal);
    if (summary.refused > 0) throw new Error("The sample's own rows were refused.");
    return phases.end();
  };

  const stopWriter = await startWriter(config.dataDir);
  const cpuSeconds = cpuStopwatch();
  const first = await importOnce();
  const importCpuSeconds = cpuSeconds();
  const importPeakRssMb = peakRssMb();
  const waitsMs = await stopWriter();
  const again = await importOnce();
  const cpuBefore = process.cpuUsage();
  const indexedAt = performance.now();
  let helper: Worker | undefined;
  const follower = await composeTextIndex(config, stores, {
    publish() {},
    async buildElsewhere(rows) {
      helper ??= new Worker(new URL("./support/index-part-thread.ts", import.meta.url), {
        workerData: { dataDir: config.dataDir },
      });
      helper.postMessage(rows);
      const [part] = await once(helper, "message");
      return part;
    },
    onSaveError: fail,
    onError: fail,
    onSearchCluster: () => {},
  });
  const indexSeconds = secondsSince(indexedAt);
  const { user, system } = process.cpuUsage(cpuBefore);
  const indexCpuSeconds = Math.round((user + system) / 1000) / 1000;
  await helper?.terminate();
  await follower.stop();
  await deps.close();
  await stores.close();
  const importSeconds = first.reading + first.sorting + first.applying;
  return {
    products,
    feedMb: megabytes((await stat(feed)).size),
    readSeconds: first.reading,
    sortSeconds: first.sorting,
    applySeconds: first.applying,
    againSeconds: again.reading + again.sorting + again.applying,
    indexSeconds,
    productsPerSecond: Math.round(products / importSeconds),
    productsPerSecondWithIndex: Math.round(products / (importSeconds + indexSeconds)),
    importCpuSeconds,
    indexCpuSeconds,
    productsPerCpuSecond: Math.round(products / (importCpuSeconds + indexCpuSeconds)),
    importPeakRssMb,
    peakRssMb: peakRssMb(),
    storeMb: megabytes((await stat(join(config.dataDir, "store.sqlite"))).size),
    otherWriter: { writes: waitsMs.length, ...percentiles(waitsMs) },
  };
}

async function startWriter(dataDir: string): Promise<() => Promise<number[]>> {
  const worker = new Worker(new URL("./support/import-writer.ts", import.meta.url), {
    workerData: { dataDir, everyMs: 20 },
  });
  await once(worker, "message");
  return async () => {
    worker.postMessage("stop");
    const [waitsMs] = await once(worker, "message");
    return waitsMs;
  };
}

function phaseTimer() {
  const seconds = { waiting: 0, finishing: 0, reading: 0, sorting: 0, applying: 0 };
  let phase: ImportStep["phase"] | undefined;
  let since = performance.now();
  const close = () => {
    if (phase !== undefined) seconds[phase] += secondsSince(since);
    since = performance.now();
  };
  return {
    step(step: ImportStep) {
      if (step.phase === phase) return;
      close();
      // The first steps of sorting and applying are reported when these phases begin, or right after.
      phase = step.phase;
    },
    end() {
      close();
      return seconds;
    },
  };
}

/** CPU time of this thread since the last call. */
function cpuStopwatch(): () => number {
  let before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    return Math.round((user + system) / 1000) / 1000;
  };
}

function percentiles(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 100) / 100;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: Math.round((sorted.at(-1) ?? 0) * 100) / 100 };
}

function secondsSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt) / 1000;
}

/** The most memory that the whole process has used so far. */
function peakRssMb(): number {
  return megabytes(process.resourceUsage().maxRSS * 1024);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}

function fail(error: unknown): never {
  throw error;
}
