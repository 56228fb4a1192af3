import type { RateBudget } from "@product-search/core/ports/quotas.ts";
import { createPostgresRateBudget } from "@product-search/stores/rate-budget/postgres.ts";
import { describeOnPostgres, openTestPostgres } from "@product-search/stores/testing/postgres.ts";
import { createMemoryRateBudget } from "@product-search/testing/memory-ports.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ClusterRateLimiter,
  createClusterRateMemory,
  startClusterRateLimiter,
} from "./cluster-rate-limiter.ts";

const seconds = 60;

async function startNodes(count: number, budget: RateBudget, now = () => 120_000) {
  const nodes: ClusterRateLimiter[] = [];
  const start = async () => {
    const settings = {
      memory: createClusterRateMemory(256),
      now,
      budget,
      onError: () => {},
      beatEveryMs: 20,
    };
    const node = await startClusterRateLimiter(settings);
    onTestFinished(() => node.stop());
    return node;
  };
  for (let node = 0; node < count; node++) nodes.push(await start());
  // The nodes that started first learn about the others.
  const knows = async (node: ClusterRateLimiter) => {
    while (node.nodes() < count) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await Promise.all(nodes.map(knows));
  return nodes;
}

/** Requests at all nodes in turns, in rounds of concurrent ones. */
async function flood(nodes: readonly ClusterRateLimiter[], requests: number, limit: number, perRound = 30) {
  const counted = { allowed: 0, waited: 0 };
  for (let sent = 0; sent < requests; sent += perRound) {
    const round = Array.from({ length: perRound }, async (_, number) => {
      const node = nodes[(sent + number) % nodes.length];
      const verdict = node?.take("token a", { requests: limit, seconds });
      if (verdict instanceof Promise) counted.waited += 1;
      if ((await verdict)?.allowed) counted.allowed += 1;
    });
    await Promise.all(round);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return counted;
}

describe("a limit of a cluster", () => {
  test.each([
    [3, 3000],
    [3, 120],
    [3, 10],
    [2, 1],
    [8, 3000],
    [1, 60],
  ])("of %i nodes holds within a tenth of %i requests, and is not cut short", async (count, limit) => {
    const { budget } = createMemoryRateBudget();
    const nodes = await startNodes(count, budget);
    const { allowed } = await flood(nodes, 3 * limit + 60, limit);
    expect(allowed).toBeLessThanOrEqual(1.1 * limit);
    expect(allowed).toBeGreaterThanOrEqual(0.9 * limit);
  });

  test("asks the cluster for few requests, and has fewer wait", async () => {
    const { budget, calls } = createMemoryRateBudget();
    const nodes = await startNodes(3, budget);
    const { allowed, waited } = await flood(nodes, 9000, 3000);
    expect(calls.times).toBeLessThan(allowed / 20);
    expect(waited).toBeLessThan(allowed / 20);
  });

  test("goes to one node alone when only that one is asked", async () => {
    const { budget } = createMemoryRateBudget();
    const [node] = await startNodes(3, budget);
    if (node === undefined) throw new Error("No node started.");
    const { allowed } = await flood([node], 600, 300);
    expect(allowed).toBeGreaterThanOrEqual(290);
    expect(allowed).toBeLessThanOrEqual(330);
  });

  test("begins anew with the next window, and tells what is left", async () => {
    let nowMs = 120_000;
    const { budget } = createMemoryRateBudget();
    const [node] = await startNodes(1, budget, () => nowMs);
    const take = () => node?.take("token a", { requests: 100, seconds });
    expect(take()).toEqual({ allowed: true, remaining: 99, resetSeconds: 60 });
    expect(take()).toMatchObject({ remaining: 98 });
    for (let request = 0; request < 150; request++) await take();
    expect(await take()).toEqual({ allowed: false, remaining: 0, resetSeconds: 60 });
    nowMs += 60_000;
    expect(take()).toMatchObject({ allowed: true, remaining: 99 });
  });

  test("is admitted once although the clocks of a node's threads differ near the end of a window", async () => {
    const { budget, calls } = createMemoryRateBudget();
    const shared = { memory: createClusterRateMemory(256), budget, onError: () => {} };
    const startThread = async (nowMs: number) => {
      const thread = await startClusterRateLimiter({ ...shared, now: () => nowMs });
      onTestFinished(() => thread.stop());
      return thread;
    };
    const threads = [await startThread(180_000), await startThread(179_999)];
    const { allowed } = await flood(threads, 600, 100);
    expect(allowed).toBeLessThanOrEqual(110);
    expect(calls.times).toBeLessThan(100);
  });

  test("waits three seconds for the budget, then each node admits its part of what was left", async () => {
    let nowMs = 120_000;
    const { budget, calls } = createMemoryRateBudget();
    const nodes = await startNodes(3, budget, () => nowMs);
    expect((await flood(nodes, 150, 300)).allowed).toBe(150);
    calls.isDown = true;
    expect((await flood(nodes, 600, 300)).allowed).toBeLessThanOrEqual(30);
    nowMs += 4000;
    const { allowed, waited } = await flood(nodes, 600, 300);
    expect(allowed).toBeGreaterThan(100);
    expect(waited).toBeLessThan(100);
    calls.isDown = false;
    nowMs += 1000;
    expect((await flood(nodes, 600, 300)).allowed + allowed).toBeLessThanOrEqual(180);
    nowMs += 60_000;
    const nextWindow = await flood(nodes, 900, 300);
    expect(nextWindow.allowed).toBeLessThanOrEqual(330);
    expect(nextWindow.allowed).toBeGreaterThanOrEqual(270);
  });

  test("lets no request wait in an endless loop when its window ends meanwhile", async () => {
    let nowMs = 120_000;
    const { budget, calls } = createMemoryRateBudget();
    const [node] = await startNodes(1, budget, () => nowMs);
    calls.isDown = true;
    const waiting = node?.take("token a", { requests: 1, seconds });
    nowMs += 60_000;
    void node?.take("token a", { requests: 1, seconds });
    expect(await waiting).toMatchObject({ allowed: false, remaining: 0 });
  });

  test("is refused when the budget does not respond", async () => {
    const { budget } = createMemoryRateBudget();
    const node = await startClusterRateLimiter({
      ...{ memory: createClusterRateMemory(256), now: () => 120_000, onError: () => {} },
      budget: { ...budget, report: () => new Promise<never>(() => {}) },
    });
    onTestFinished(() => node.stop());
    expect(await node.take("token a", { requests: 1, seconds })).toMatchObject({ allowed: false });
  });
});

test("a node that starts while the budget fails does not take itself for the only one", async () => {
  let nowMs = 120_000;
  const { budget, calls } = createMemoryRateBudget();
  calls.isDown = true;
  const [node] = await startNodes(1, budget, () => nowMs);
  if (node === undefined) throw new Error("No node started.");
  expect((await flood([node], 400, 300)).allowed).toBe(0);
  nowMs += 4000;
  expect((await flood([node], 400, 300)).allowed).toBe(15);
});

test("one thread of a node sends its heartbeats, and another one takes over", async () => {
  const beats = [0, 0, 0];
  const memory = createClusterRateMemory(16);
  const { budget } = createMemoryRateBudget();
  const threads: ClusterRateLimiter[] = [];
  for (const thread of beats.keys()) {
    const beat = async () => {
      beats[thread] = (beats[thread] ?? 0) + 1;
      return 3;
    };
    const settings = { memory, now: () => 120_000, budget: { ...budget, beat }, onError: () => {} };
    threads.push(await startClusterRateLimiter({ ...settings, beatEveryMs: 20 }));
  }
  const sum = () => beats.reduce((all, count) => all + count, 0);
  await new Promise((resolve) => setTimeout(resolve, 200));
  // Each new thread sends one when it starts.
  expect(sum()).toBeLessThan(3 + 15);
  for (const thread of threads.slice(1)) thread.stop();
  const before = sum();
  await expect.poll(sum, { interval: 5 }).toBeGreaterThan(before + 2);
  expect(threads.map((thread) => thread.nodes())).toEqual([3, 3, 3]);
  threads[0]?.stop();
});

describeOnPostgres("a limit of a cluster on PostgreSQL", () => {
  test("holds within a tenth, with few statements", async () => {
    const { db, close } = await openTestPostgres();
    const nowMs = Date.UTC(2026, 4, 1);
    const budget = createPostgresRateBudget({ db, clock: { now: () => nowMs } });
    let statements = 0;
    const counting: RateBudget = {
      ...budget,
      report(reports) {
        statements += 1;
        return budget.report(reports);
      },
    };
    const nodes = await startNodes(3, counting, () => nowMs);
    const { allowed } = await flood(nodes, 6000, 3000);
    for (const node of nodes) node.stop();
    await close();
    expect(allowed).toBeLessThanOrEqual(3300);
    expect(allowed).toBeGreaterThanOrEqual(2700);
    expect(statements).toBeLessThan(allowed / 20);
  });
});
