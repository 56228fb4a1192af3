import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, expect, it } from "vitest";

interface Report {
  usedMb: number;
  /** How often all garbage was collected by order. */
  collections: number;
}

/** A thread that keeps 40 MB until it is told how to go on. */
const source = `
  const { constants, PerformanceObserver } = require("node:perf_hooks");
  const { parentPort } = require("node:worker_threads");
  const { getHeapStatistics } = require("node:v8");
  let kept = Array.from({ length: 400_000 }, (_, n) => ({ n, text: "kept " + n }));
  let workMs = 0;
  let collections = 0;
  new PerformanceObserver((list) => {
    const isForced = ({ detail }) => (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
    collections += list.getEntries().filter(isForced).length;
  }).observe({ entryTypes: ["gc"] });
  setInterval(() => {
    for (const end = Date.now() + workMs; Date.now() < end; );
    parentPort.postMessage({ usedMb: getHeapStatistics().used_heap_size / 2 ** 20, collections });
  }, 10);
  const file = ${JSON.stringify(new URL("./collect-when-idle.ts", import.meta.url).href)};
  parentPort.on("message", async (milliseconds) => {
    workMs = milliseconds;
    kept = undefined;
    const { collectWhenIdle } = await import(file);
    collectWhenIdle({ checkEveryMs: 100, minAllocatedBytes: 32 * 2 ** 20 });
  });`;

let thread: Worker;
afterEach(() => thread.terminate());

/** Its newest report, after it was told to work so long of every 10 milliseconds. */
async function startThread(workMs: number): Promise<() => Report> {
  thread = new Worker(source, { eval: true });
  let report: Report = { usedMb: 0, collections: 0 };
  thread.on("message", (newest: Report) => {
    report = newest;
  });
  await expect.poll(() => report.usedMb).toBeGreaterThan(30);
  thread.postMessage(workMs);
  return () => report;
}

it("frees once what a busy time has left, when the thread is idle", async () => {
  const report = await startThread(0);
  await expect.poll(() => report().collections, { timeout: 60_000 }).toBeGreaterThan(0);
  await expect.poll(() => report().usedMb).toBeLessThan(15);
  // One order may be several collections, which are reported one after the other.
  await setTimeout(250);
  const { collections } = report();
  await setTimeout(400);
  expect(report().collections).toBe(collections);
});

it("leaves a thread alone that has work", async () => {
  const report = await startThread(9);
  await setTimeout(800);
  expect(report().collections).toBe(0);
});
