// Runs as a separate process, so that its memory is that of an index which is only read: loads the folder, runs the queries
// on this thread, then for some time on one other thread and on two.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { openIndex, readSnapshot, type SearchQuery, type TextIndex } from "@product-search/text-index";
import { type Timing, timingOf } from "./figures.ts";
import { exactly, exactQueries, type MixedQuery, mixedQueries, type QueryKind } from "./mixed-queries.ts";
import type { QueryThreadData } from "./query-thread.ts";

export interface IndexFigures extends Timing {
  readonly loadSeconds: number;
  /** CPU time of a query, over all threads of the process; it depends little on other work on the machine. */
  readonly meanCpuMs: number;
  readonly rssMb: number;
  readonly qps1: number;
  readonly qps2: number;
  readonly meanMsByKind: Partial<Record<QueryKind, number>>;
  /** For each query, the number of products that have every word as it is written. */
  readonly totals: readonly number[];
}

const [folder = "", products = "0", count = "0", seconds = "3", kinds = "every"] = process.argv.slice(2);
const startedAt = performance.now();
const read = readSnapshot(folder, "bench");
if (!read.usable) throw new Error(read.reason);
const index = openIndex(read.snapshot);
index.search({ text: "lamp", offset: 0, limit: 20 });
const loadSeconds = (performance.now() - startedAt) / 1000;

// A second of other queries, so that the code is compiled and no timed query runs twice. 600 of them were not enough at
// 20,000 products: they took a tenth of a second, and a timed query still cost four times what it costs afterwards.
const warmUp = [1, 2, 3].flatMap(queriesOf);
const warmUpAt = performance.now();
while (performance.now() - warmUpAt < 1000) for (const { query } of warmUp) index.search(query);
const queries = queriesOf(0);
const cpuAtStart = process.cpuUsage();
const milliseconds = queries.map(({ query }) => timed(index, query));
const cpu = process.cpuUsage(cpuAtStart);
const totals = queries.map(({ query }) => index.search({ ...query, ...exactly }).total);
const qps1 = await throughput(1);
const qps2 = await throughput(2);
const figures: IndexFigures = {
  ...timingOf(milliseconds),
  loadSeconds,
  meanCpuMs: (cpu.user + cpu.system) / 1000 / queries.length,
  rssMb: process.memoryUsage.rss() / 2 ** 20,
  qps1,
  qps2,
  meanMsByKind: Object.fromEntries(
    Object.entries(
      Object.groupBy(
        queries.map(({ kind }, i) => ({ kind, ms: milliseconds[i] ?? 0 })),
        ({ kind }) => kind,
      ),
    ).map(([kind, entries]) => [kind, timingOf((entries ?? []).map(({ ms }) => ms)).meanMs]),
  ),
  totals,
};
process.stdout.write(JSON.stringify(figures));

function queriesOf(seed: number): MixedQuery[] {
  return (kinds === "exact" ? exactQueries : mixedQueries)(Number(count), Number(products), seed);
}

function timed(index: TextIndex, query: SearchQuery): number {
  const start = performance.now();
  index.search(query);
  return performance.now() - start;
}

async function throughput(threads: number): Promise<number> {
  if (!read.usable) return 0;
  const { snapshot } = read;
  const responses = Array.from({ length: threads }, async (_, i) => {
    const data: QueryThreadData = {
      snapshot,
      queries: [4, 5, 6].flatMap((seed) => queriesOf(seed + 3 * i)).map(({ query }) => query),
      seconds: Number(seconds),
    };
    const [responded] = await once(
      new Worker(new URL("./query-thread.ts", import.meta.url), { workerData: data }),
      "message",
    );
    return Number(responded);
  });
  return (await Promise.all(responses)).reduce((sum, perSecond) => sum + perSecond, 0);
}
