// A process of its own: the whole service over a store with the sample, asked over HTTP with one thread and with two.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import autocannon from "autocannon";
import { mixedQueries } from "./mixed-queries.ts";

export interface HttpFigures {
  readonly httpQps1: number;
  readonly httpQps2: number;
  readonly httpP99Ms: number;
  /** The whole service with two threads, after the load. */
  readonly httpRssMb: number;
  /** From starting the process to the first answer, with the index kept from the last run. */
  readonly warmStartSeconds: number;
}

const cli = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const [folder = "", products = "0", count = "0", seconds = "5"] = process.argv.slice(2);
const dataDir = join(folder, "data");
const environment = {
  ...process.env,
  DATA_DIR: dataDir,
  PORT: "0",
  LOG_LEVEL: "error",
  TRIAL_RATE_LIMIT: "0",
};
await promisify(execFile)(process.execPath, [cli, "sample", "--products", products], {
  env: environment,
  maxBuffer: 2 ** 26,
});

await measure(1, 0);
const one = await measure(1, Number(seconds));
const two = await measure(2, Number(seconds));
const figures: HttpFigures = {
  httpQps1: Math.round(one.perSecond),
  httpQps2: Math.round(two.perSecond),
  httpP99Ms: two.p99Ms,
  httpRssMb: Math.round(two.rssMb),
  warmStartSeconds: two.startSeconds,
};
process.stdout.write(JSON.stringify(figures));

async function measure(threads: number, duration: number) {
  const startedAt = performance.now();
  const service = spawn(process.execPath, [cli, "serve"], {
    env: { ...environment, THREADS: String(threads) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const url = await addressOf(service.stderr);
    while (!(await fetch(`${url}/search/trial?q=lamp`)).ok) await new Promise((next) => setTimeout(next, 20));
    const startSeconds = Math.round((performance.now() - startedAt) / 10) / 100;
    if (duration === 0) return { perSecond: 0, p99Ms: 0, rssMb: 0, startSeconds };
    await load(url, 2);
    return { ...(await load(url, duration)), rssMb: await residentMb(service.pid), startSeconds };
  } finally {
    service.kill("SIGTERM");
    await once(service, "exit");
  }
}

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const address = /Serving at (\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("the service ended before it served");
}

async function load(url: string, duration: number): Promise<{ perSecond: number; p99Ms: number }> {
  const requests = mixedQueries(Number(count), Number(products), 0).map(({ query }) => {
    const { minPriceMinor: min, maxPriceMinor: max } = query.filters ?? {};
    const parameters = new URLSearchParams({ q: query.text, sort: query.sort ?? "relevance" });
    if (min !== undefined && max !== undefined) parameters.set("priceRange", `[${min / 100},${max / 100}]`);
    return { method: "GET" as const, path: `${new URL(url).pathname}/search/trial?${parameters}` };
  });
  const result = await autocannon({ url: new URL(url).origin, connections: 16, duration, requests });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  return { perSecond: result.requests.average, p99Ms: result.latency.p99 };
}

async function residentMb(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout) / 1024;
}
