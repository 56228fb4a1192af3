import { once } from "node:events";
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { createToken } from "@product-search/features/accounts/tokens.ts";
import { type LoadKind, type LoadReport, type LoadThreadData, loadKinds } from "./hostile/load-thread.ts";
import { startBenchService } from "./support/bench-service.ts";
import type { Task } from "./support/dispatch.ts";
import { wholeNumber } from "./support/whole-number.ts";
import { fillCatalog } from "./text/text-service.ts";

const usage = `Usage: pnpm bench hostile [--products N] [--threads N] [--seconds N] [--burst N] [--connections N] [--data FOLDER] [--json]
  How long other clients wait while one token sends expensive requests: bursts of deep searches, whose clients
  leave or stay, and deep searches or long filter lists without a pause. Default: 100000 products, 2 threads,
  10 seconds each, bursts of 400, 16 connections. --data keeps the catalog in a folder for the next run.`;

/** Requests of the others a second. Their times count from when they should have been sent. */
const searchesPerSecond = 50;
const checksPerSecond = 20;
const words = ["lamp", "running shoes", "wool blanket", "desk", "mug", "rain jacket", "chair", "backpack"];

export const run: Task["run"] = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "100000" },
      threads: { type: "string", default: "2" },
      seconds: { type: "string", default: "10" },
      burst: { type: "string", default: "400" },
      connections: { type: "string", default: "16" },
      data: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const products = wholeNumber("--products", values.products);
  const settings = {
    products,
    seconds: wholeNumber("--seconds", values.seconds),
    burst: wholeNumber("--burst", values.burst),
    connections: wholeNumber("--connections", values.connections),
  };
  const threads = wholeNumber("--threads", values.threads);
  let hostileToken = "";
  const service = await startBenchService({
    dataDir: values.data,
    environment: () => ({ THREADS: String(threads) }),
    async fill(stores) {
      if ((await stores.catalogStore.lastSequence()) === 0) await fillCatalog(stores, products);
      const actor = { kind: "command", user: "bench", host: "here" } as const;
      hostileToken = (await createToken(stores, actor, { account: "hostile", scopes: ["search"] })).token;
    },
  });
  try {
    await measure(service, 2);
    const report: Record<string, unknown> = {
      products,
      threads,
      quiet: await measure(service, settings.seconds),
    };
    for (const kind of loadKinds) {
      const data = { ...settings, kind, root: service.root, token: hostileToken };
      report[kind] = await measureUnder(service, data);
      await pause(500);
    }
    if (values.json) console.log(JSON.stringify(report));
    else
      for (const [name, value] of Object.entries(report)) console.log(name.padEnd(14), JSON.stringify(value));
  } finally {
    await service.close();
  }
};

/** The load runs on another thread: it must not delay the measuring clients. */
async function measureUnder(service: Measured, data: LoadThreadData & { kind: LoadKind }) {
  const worker = new Worker(new URL("./hostile/load-thread.ts", import.meta.url), { workerData: data });
  const ended: Promise<LoadReport[]> = once(worker, "message").then((reports): LoadReport[] => reports);
  const usedBefore = service.processorMs();
  const figures = await measure(service, data.seconds);
  const processorMs = Math.round(service.processorMs() - usedBefore);
  const [hostile = {}] = await ended;
  return { ...figures, processorMs, hostile };
}

interface Measured {
  root: string;
  token: string;
  processorMs(): number;
}

async function measure({ root, token }: Measured, seconds: number) {
  const agent = new Agent({ keepAlive: true });
  const searches = atRate(searchesPerSecond, seconds, (at) =>
    timed(
      `${root}/api/v1/search/catalog?q=${encodeURIComponent(words[at % words.length] ?? "")}`,
      agent,
      token,
    ),
  );
  const checks = atRate(checksPerSecond, seconds, () => timed(`${root}/healthz`, agent));
  const [search, health] = [quantiles(await searches), quantiles(await checks)];
  agent.destroy();
  return {
    searchP50Ms: search.p50,
    searchP99Ms: search.p99,
    searchMaxMs: search.max,
    healthP99Ms: health.p99,
    healthMaxMs: health.max,
  };
}

/** Sends at a constant rate, whether or not earlier ones have finished, and adds how late each was sent. */
async function atRate(
  perSecond: number,
  seconds: number,
  send: (at: number) => Promise<number>,
): Promise<number[]> {
  const startMs = performance.now();
  const times: Promise<number>[] = [];
  for (let at = 0; at < perSecond * seconds; at++) {
    const plannedMs = startMs + (at * 1000) / perSecond;
    await pause(Math.max(0, plannedMs - performance.now()));
    const lateMs = Math.max(0, performance.now() - plannedMs - 1);
    times.push(send(at).then((ms) => ms + lateMs));
  }
  return Promise.all(times);
}

async function timed(url: string, agent: Agent, token?: string): Promise<number> {
  const startMs = performance.now();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await new Promise<void>((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response.resume();
      response.once("end", () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${response.statusCode}`)),
      );
    }).once("error", reject);
  });
  return performance.now() - startMs;
}

function quantiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
