import { parseArgs } from "node:util";
import {
  type Behaviour,
  type BenchUpstream,
  hostileKinds,
  startBenchUpstream,
} from "./marketplace/behaviour.ts";
import { askMarketplace, startLiveService } from "./marketplace/live-service.ts";
import { type Ask, type Outcome, openLoop, quantile } from "./marketplace/open-loop.ts";
import type { BenchService } from "./support/bench-service.ts";
import { wholeNumber } from "./support/whole-number.ts";

const help = `Usage: pnpm bench marketplace [--seconds N] [--requests N] [--json]

Runs the service with both marketplaces live on servers of this machine, and measures
  added     what the service adds to the upstream's own latency (upstream of 20 ms, N requests, by default 400)
  hostile   200 requests/s to marketplace A while it misbehaves, beside 50 requests/s to a healthy marketplace B
  cache     hit ratio and saved upstream requests at 200 requests/s of a Zipf mix of 10 000 queries
Load generator, upstreams and service share the machine's cores.`;

const upstreamMs = 20;
const rateA = 200;
const rateB = 50;
const zipfQueries = 10_000;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "8" },
      requests: { type: "string", default: "400" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const seconds = wholeNumber("--seconds", values.seconds);
  const requests = wholeNumber("--requests", values.requests);
  const [a, b] = [await startBenchUpstream(), await startBenchUpstream()];
  const figures = {
    added: await withService(a, b, 0, (service) => addedLatency(service, a, requests)),
    hostile: await hostile(a, b, seconds),
    cache: await withService(a, b, 300, (service) => zipf(service, a, seconds * 2)),
  };
  await Promise.all([a.close(), b.close()]);
  if (values.json) {
    console.log(JSON.stringify(figures));
    return;
  }
  console.table(figures.added);
  console.table(figures.hostile);
  console.table(figures.cache);
}

async function withService<Figures>(
  a: BenchUpstream,
  b: BenchUpstream,
  freshSeconds: number,
  measure: (service: BenchService) => Promise<Figures>,
): Promise<Figures> {
  const service = await startLiveService({ a: a.url, b: b.url }, freshSeconds);
  try {
    return await measure(service);
  } finally {
    await service.close();
  }
}

async function addedLatency(service: BenchService, a: BenchUpstream, requests: number) {
  a.behave({ kind: "healthy", delayMs: upstreamMs });
  const direct: Ask = async (query) => {
    const response = await fetch(`${a.url}/search?q=${query}`);
    await response.arrayBuffer();
    return { status: response.status, cache: "" };
  };
  await oneByOne(askMarketplace(service, "a"), Math.ceil(requests / 2));
  const own = await oneByOne(direct, requests);
  const through = await oneByOne(askMarketplace(service, "a"), requests);
  return {
    p50: {
      upstreamMs: quantile(own, 0.5),
      serviceMs: quantile(through, 0.5),
      addedMs: difference(through, own, 0.5),
    },
    p99: {
      upstreamMs: quantile(own, 0.99),
      serviceMs: quantile(through, 0.99),
      addedMs: difference(through, own, 0.99),
    },
  };
}

async function oneByOne(ask: Ask, count: number): Promise<Outcome> {
  const outcome: Outcome = { ms: [], statuses: {}, cache: {} };
  for (let n = 0; n < count; n++) {
    const sentMs = performance.now();
    await ask(`${count} ${n} ${sentMs}`);
    outcome.ms.push(performance.now() - sentMs);
  }
  outcome.ms.sort((one, other) => one - other);
  return outcome;
}

function difference(one: Outcome, other: Outcome, share: number): number {
  return Math.round((quantile(one, share) - quantile(other, share)) * 100) / 100;
}

/** A new service for each behaviour: its circuit is closed at first, and its memory shows the effect of that behaviour. */
async function hostile(a: BenchUpstream, b: BenchUpstream, seconds: number) {
  const rows: Record<string, object> = {};
  let normalP99 = Number.NaN;
  for (const behaviour of [
    { kind: "healthy" as const, delayMs: upstreamMs },
    ...hostileKinds.map((kind) => ({ kind })),
  ]) {
    const { row, p99OfB } = await withService(a, b, 0, (service) =>
      underLoad(service, a, b, behaviour, seconds),
    );
    if (behaviour.kind === "healthy") normalP99 = p99OfB;
    rows[behaviour.kind] = { ...row, p99OfB, ratioOfB: Math.round((p99OfB / normalP99) * 100) / 100 };
  }
  return rows;
}

async function underLoad(
  service: BenchService,
  a: BenchUpstream,
  b: BenchUpstream,
  behaviour: Behaviour,
  seconds: number,
) {
  const healthy = { kind: "healthy" as const, delayMs: upstreamMs };
  b.behave(healthy);
  a.behave(healthy);
  const both = (duration: number) =>
    Promise.all([
      openLoop(askMarketplace(service, "a"), {
        perSecond: rateA,
        seconds: duration,
        query: (n) => `mug ${duration} ${n}`,
      }),
      openLoop(askMarketplace(service, "b"), {
        perSecond: rateB,
        seconds: duration,
        query: (n) => `cup ${duration} ${n}`,
      }),
    ]);
  // After a warm-up, so that the figures show the behaviour and not the first requests.
  await both(Math.min(3, seconds));
  const beforeMb = service.residentMb();
  let maxMb = beforeMb;
  const watch = setInterval(() => {
    maxMb = Math.max(maxMb, service.residentMb());
  }, 100);
  a.behave(behaviour);
  const [ofA, ofB] = await both(seconds);
  clearInterval(watch);
  return {
    p99OfB: quantile(ofB, 0.99),
    row: {
      requests: ofA.ms.length,
      statuses: JSON.stringify(ofA.statuses),
      upstream: await a.requests(),
      p50Ms: quantile(ofA, 0.5),
      p99Ms: quantile(ofA, 0.99),
      maxMs: quantile(ofA, 1),
      beforeMb,
      maxMb,
    },
  };
}

async function zipf(service: BenchService, a: BenchUpstream, seconds: number) {
  a.behave({ kind: "healthy", delayMs: upstreamMs });
  const draw = zipfian(zipfQueries);
  const { ms, cache } = await openLoop(askMarketplace(service, "a"), {
    perSecond: rateA,
    seconds,
    query: () => `query ${draw()}`,
  });
  const upstream = await a.requests();
  const { hit = 0, collapsed = 0, miss = 0 } = cache;
  return {
    requests: ms.length,
    hit,
    collapsed,
    miss,
    hitRatio: Math.round((hit / ms.length) * 1000) / 1000,
    upstream,
    saved: Math.round((1 - upstream / ms.length) * 1000) / 1000,
  };
}

/** Numbers below `count`; the n-th has a probability proportional to 1/n (s = 1). The same numbers in every run. */
function zipfian(count: number): () => number {
  const sums: number[] = [];
  for (let n = 1, sum = 0; n <= count; n++) {
    sum += 1 / n;
    sums.push(sum);
  }
  let seed = 42;
  return () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    const wanted = (seed / 4_294_967_296) * (sums.at(-1) ?? 1);
    return sums.findIndex((sum) => sum >= wanted);
  };
}
