import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { composeSqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { type Config, readConfig } from "@product-search/api/config.ts";
import { createUtilizationMemory } from "@product-search/api/http/connections/connection-balancer.ts";
import { createToken } from "@product-search/features/accounts/accounts.ts";
import { createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";
import autocannon from "autocannon";
import type { FrameThreadData } from "./support/frame-thread.ts";
import { wholeNumber } from "./support/whole-number.ts";

export const help = `Usage: pnpm bench frame [--seconds N] [--json]

Answers the same five products through bare node:http and through the whole frame, with one thread and with two; the load
generator shares the machine's cores. Then half of the frame's rate with 1 % malformed or oversized requests.`;

/** Far above the limit of a query, but small enough not to measure the loopback interface. */
const oversizedBytes = 100_000;

interface Rate {
  perSecond: number;
  p99Ms: number;
}

/** The cost of the HTTP layer as a ratio to bare node:http, measured in one run. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "6" },
      json: { type: "boolean" },
    },
  });
  const seconds = wholeNumber("--seconds", values.seconds);
  const rates: Record<string, Rate> = {};
  for (const threads of [1, 2]) {
    for (const kind of ["bare", "frame"] as const) {
      rates[`${kind}${threads}`] = await withServer(kind, threads, (url, token) =>
        load(url, token, { seconds }),
      );
    }
  }
  const get = (name: string) => rates[name]?.perSecond ?? Number.NaN;
  const half = get("frame2") / 2;
  const mixed = await withServer("frame", 2, (url, token) =>
    load(url, token, { seconds, perSecond: half, spoil: true }),
  );
  const figures = {
    bare1: round(get("bare1")),
    frame1: round(get("frame1")),
    bare2: round(get("bare2")),
    frame2: round(get("frame2")),
    ratio1: round(get("frame1") / get("bare1"), 3),
    ratio2: round(get("frame2") / get("bare2"), 3),
    bareGain: round(get("bare2") / get("bare1"), 3),
    frameGain: round(get("frame2") / get("frame1"), 3),
    mixedPerSecond: round(mixed.perSecond),
    mixedP99Ms: mixed.p99Ms,
  };
  if (values.json) console.log(JSON.stringify(figures));
  else console.table(figures);
}

async function withServer(
  kind: FrameThreadData["kind"],
  threads: number,
  measure: (url: string, token: string) => Promise<Rate>,
): Promise<Rate> {
  const { config, token, remove } = await createFrameStore();
  const rateMemory = createRateMemory();
  const utilizationMemory = createUtilizationMemory(threads);
  const workers: Worker[] = [];
  let port = 0;
  for (let number = 0; number < threads; number++) {
    const data: FrameThreadData = {
      kind,
      number,
      config: { ...config, port, threads: 2 },
      rateMemory,
      utilizationMemory,
    };
    const worker = new Worker(new URL("./support/frame-thread.ts", import.meta.url), { workerData: data });
    workers.push(worker);
    port = await new Promise<number>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  }
  try {
    await measure(`http://127.0.0.1:${port}`, token);
    return await measure(`http://127.0.0.1:${port}`, token);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
    remove();
  }
}

async function load(
  url: string,
  token: string,
  { seconds, perSecond, spoil }: { seconds: number; perSecond?: number; spoil?: boolean },
): Promise<Rate> {
  const headers = { authorization: `Bearer ${token}` };
  const good = {
    method: "GET" as const,
    path: "/api/v1/search/marketplace-a?q=running%20shoes&count=5",
    headers,
  };
  const bad = [
    { ...good, path: "/api/v1/search/marketplace-a?q=&count=0" },
    {
      ...good,
      method: "POST" as const,
      path: "/api/v1/deep-search",
      headers: { ...headers, "content-type": "application/json" },
      body: "{",
    },
    {
      ...good,
      method: "POST" as const,
      path: "/api/v1/deep-search",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ query: "x".repeat(oversizedBytes) }),
    },
  ];
  const requests = spoil ? [...Array.from({ length: 297 }, () => good), ...bad] : [good];
  const result = await autocannon({
    url,
    connections: 32,
    duration: seconds,
    requests,
    // The generator sends each second's requests in bursts. The figure is the time of the responses.
    ...(perSecond !== undefined && { overallRate: Math.round(perSecond), ignoreCoordinatedOmission: true }),
  });
  return { perSecond: result.requests.average, p99Ms: result.latency.p99 };
}

function round(value: number, digits = 0): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

interface FrameStore {
  config: Config;
  token: string;
  remove(): void;
}

/** An empty store in a new folder, with a token. */
async function createFrameStore(settings: Record<string, string> = {}): Promise<FrameStore> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-frame-"));
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "warn",
    TOKEN_RATE_LIMIT: "100000000/60",
    ...settings,
  });
  const stores = await composeSqliteStores(config);
  const { token } = await createToken(
    stores,
    { kind: "command", user: "bench", host: "here" },
    { account: "bench", scopes: ["search"] },
  );
  await stores.close();
  return { config, token, remove: () => rmSync(dataDir, { recursive: true }) };
}
