import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createDeepSearch, type DeepSearch } from "@product-search/deep-search/deep-search.ts";
import {
  createLimitedAnswerWriter,
  defaultWriterLimits,
} from "@product-search/deep-search/writers/limited.ts";
import { createOpenAiCompatibleAnswerWriter } from "@product-search/deep-search/writers/openai-compatible.ts";
import { startOpenAiServer } from "@product-search/testing/openai-server.ts";
import { evalRequests } from "./deep/judge-answer.ts";
import { openShop, type ShopPorts } from "./deep/open-shop.ts";
import type { Task } from "./support/dispatch.ts";
import { wholeNumber } from "./support/whole-number.ts";

export const help = `Usage: pnpm bench deep [--products N] [--seconds N] [--json]
  Time of the built-in path over the sample at that size (default 100000), and what a model that hangs does to
  100 requests a second (for so many seconds, default 20).`;
const perSecond = 100;
const rounds = 3;

export const run: Task["run"] = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "100000" },
      seconds: { type: "string", default: "20" },
      json: { type: "boolean", default: false },
    },
  });
  const products = wholeNumber("--products", values.products);
  const seconds = wholeNumber("--seconds", values.seconds);
  const shop = await openShop(products, progress(products));
  try {
    const report = {
      products,
      ...(await measureBuiltIn(shop.ports)),
      ...(await measureHangingModel(shop.ports, seconds)),
    };
    if (values.json) console.log(JSON.stringify(report));
    else for (const [name, value] of Object.entries(report)) console.log(`${name.padEnd(22)} ${value}`);
  } finally {
    await shop.close();
  }
};

/** One request after the other. The first round is a warm-up and is not counted. */
async function measureBuiltIn(ports: ShopPorts) {
  const deepSearch = createDeepSearch(ports);
  const times: number[] = [];
  let slowest = { ms: 0, request: "" };
  for (let round = 0; round <= rounds; round++) {
    for (const { request } of evalRequests) {
      const ms = await timed(deepSearch, request);
      if (round === 0) continue;
      times.push(ms);
      if (ms > slowest.ms) slowest = { ms, request };
    }
  }
  const { p50, p99, mean } = quantiles(times);
  return { requests: times.length, p50Ms: p50, p99Ms: p99, meanMs: mean, slowest: slowest.request };
}

/** Requests at a constant rate, whether or not earlier ones have finished. */
async function measureHangingModel(ports: ShopPorts, seconds: number) {
  const model = await startOpenAiServer(() => ({ hang: true }));
  const writers = new Map<string, number>();
  const hanging = createOpenAiCompatibleAnswerWriter({
    baseUrl: model.baseUrl,
    model: "hangs",
    apiKey: undefined,
  });
  const deepSearch = createDeepSearch({
    ...ports,
    modelWriter: createLimitedAnswerWriter(hanging, defaultWriterLimits, ports.clock),
    onAnswer: (writer, failure) => {
      const key = failure === undefined ? writer : `${writer}, model ${failure}`;
      writers.set(key, (writers.get(key) ?? 0) + 1);
    },
  });
  const startMs = performance.now();
  const answers: Promise<number>[] = [];
  for (let sent = 0; sent < perSecond * seconds; sent++) {
    await pause(Math.max(0, startMs + (sent * 1000) / perSecond - performance.now()));
    const { request } = evalRequests[sent % evalRequests.length] ?? { request: "" };
    // A different number each time, because identical requests would share one answer.
    const answer = timed(deepSearch, `${request} under ${1000 + sent}`);
    answer.catch(() => {});
    answers.push(answer);
  }
  const settled = await Promise.allSettled(answers);
  await model.close();
  for (const one of settled)
    if (one.status === "rejected" && one.reason?.code !== "unavailable") throw one.reason;
  const times = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const { p50, p99, max } = quantiles(times);
  return {
    hangingP50Ms: p50,
    hangingP99Ms: p99,
    hangingMaxMs: max,
    // So many waited already: a service refuses more, and says when to come again.
    hangingRefused: settled.length - times.length,
    hangingCalls: model.calls.length,
    hangingOver1s: times.filter((ms) => ms > 1000).length,
    hangingWriters: JSON.stringify(Object.fromEntries(writers)),
  };
}

async function timed(deepSearch: DeepSearch, request: string): Promise<number> {
  const startMs = performance.now();
  await deepSearch.answer({ query: request }, new AbortController().signal);
  return performance.now() - startMs;
}

function quantiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  const mean = rounded(times.reduce((sum, ms) => sum + ms, 0) / times.length);
  return { p50: at(0.5), p99: at(0.99), max: at(1), mean };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function progress(products: number): (loaded: number) => void {
  const stepSize = Math.max(1, Math.floor(products / 10));
  let next = stepSize;
  return (loaded) => {
    if (loaded < next) return;
    next += stepSize;
    console.error(`${loaded} of ${products} products loaded`);
  };
}
