// What each server of `pnpm bench servers` is asked, and how it is measured.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SearchQuery } from "@product-search/text-index";
import autocannon, { type Request } from "autocannon";
import { fillStore, imageless, startTextService } from "../text/text-service.ts";

export interface BenchServer {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  readonly imported: Cost;
  readonly diskMb: number;
  request(query: SearchQuery): Request;
  stop(): Promise<void>;
}

interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export interface Load {
  readonly connections: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the processor, for one search. */
  readonly cpuMs: number;
  readonly residentMb: number;
}

/** The service with two threads. It has imported when it has built its index and responds. */
export async function startOwn(folder: string, products: number): Promise<BenchServer> {
  const invented = await ownCost(async () => {
    for (const _ of sampleParts(products, 2000));
  });
  const filled = await ownCost(() => fillStore(folder, products));
  const startedMs = performance.now();
  const first = await startTextService(folder, 2);
  const imported = {
    seconds: filled.seconds - invented.seconds + (performance.now() - startedMs) / 1000,
    cpuSeconds: filled.cpuSeconds - invented.cpuSeconds + cpuSecondsOf(first.pid),
  };
  await first.stop();
  const service = await startTextService(folder, 2);
  return {
    name: "this service",
    origin: service.url.origin,
    pid: service.pid,
    imported,
    diskMb: folderMb(folder),
    request({ text, sort = "relevance", filters: { minPriceMinor: min, maxPriceMinor: max } = {} }) {
      const parameters = new URLSearchParams({ q: text, sort });
      if (min !== undefined && max !== undefined) parameters.set("priceRange", `[${min / 100},${max / 100}]`);
      return { method: "GET", path: `${service.url.pathname}/search/trial?${parameters}` };
    },
    stop: service.stop,
  };
}

async function ownCost(work: () => Promise<void>): Promise<Cost> {
  const start = { ms: performance.now(), cpu: process.cpuUsage() };
  await work();
  const { user, system } = process.cpuUsage(start.cpu);
  return { seconds: (performance.now() - start.ms) / 1000, cpuSeconds: (user + system) / 1e6 };
}

/** The sample as another server takes it, in parts. */
export function* sampleParts(products: number, size: number) {
  const nowMs = Date.now();
  for (let from = 0; from < products; from += size)
    yield Array.from({ length: Math.min(size, products - from) }, (_, i) => {
      const { priceMinor, ...product } = imageless(from + i, nowMs);
      return { id: from + i, price: (priceMinor ?? 0) / 100, ...product };
    });
}

/** What `work` costs the process, without the time in which the sample was invented. */
export async function costOf(
  pid: number,
  work: (parts: (products: number, size: number) => ReturnType<typeof sampleParts>) => Promise<void>,
): Promise<Cost> {
  let inventedMs = 0;
  function* timed(products: number, size: number) {
    let start = performance.now();
    for (const part of sampleParts(products, size)) {
      inventedMs += performance.now() - start;
      yield part;
      start = performance.now();
    }
  }
  const start = { ms: performance.now(), cpu: cpuSecondsOf(pid) };
  await work(timed);
  return {
    seconds: (performance.now() - start.ms - inventedMs) / 1000,
    cpuSeconds: cpuSecondsOf(pid) - start.cpu,
  };
}

export async function measureLoad(
  { origin, pid, request }: BenchServer,
  queries: readonly SearchQuery[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const before = cpuSecondsOf(pid);
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    requests: queries.map(request),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${origin}: ${result.non2xx} refused, ${result.errors} failed`);
  return {
    connections,
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMs: ((cpuSecondsOf(pid) - before) * 1000) / result.requests.total,
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
  };
}

/** Sends JSON, or lines of JSON, and parses the reply. */
export async function call(url: string, method: string, body?: unknown): Promise<unknown> {
  const lines = typeof body === "string";
  const response = await fetch(url, {
    method,
    headers: { "content-type": lines ? "application/x-ndjson" : "application/json" },
    ...(body !== undefined && { body: lines ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 300)}`);
  return text === "" ? undefined : JSON.parse(text);
}

export function folderMb(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  // Blocks, since files may have holes.
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks / 2048, 0);
}

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
