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

/** Seconds in which the nodes get requests of another client, and none of them looks cut off alone. */
async function passInUse(nodes: readonly ClusterRateLimiter[], count: number, tick: () => void) {
  for (let second = 0; second < count; second++) {
    tick();
    for (const node of nodes) await node.take("token b", { requests: 1, seconds });
  }
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
    const { budget, calls: asked } = createMemoryRateBudget();
    const nodes = await startNodes(3, budget);
    const { allowed, waited } = await flood(nodes, 9000, 3000);
    expect(asked.times).toBeLessThan(allowed / 20);
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
    const { budget, calls: asked } = createMemoryRateBudget();
    const shared = { memory: createClusterRateMemory(256), budget, onError: () => {} };
    const startThread = async (nowMs: number) => {
      const thread = await startClusterRateLimiter({ ...shared, now: () => nowMs });
      onTestFinished(() => thread.stop());
      return thread;
    };
    const threads = [await startThread(180_000), await startThread(179_999)];
    const { allowed } = await flood(threads, 600, 100);
    expect(allowed).toBeLessThanOrEqual(110);
    expect(asked.times).toBeLessThan(100);
  });

  test("is shared equally and evenly while the budget cannot be asked, and counted together again after", async () => {
    let nowMs = 120_000;
    const tick = () => {
      nowMs += 1000;
    };
    const { budget, calls: asked } = createMemoryRateBudget();
    const nodes = await startNodes(3, budget, () => nowMs);
    asked.isDown = true;
    const atFirst = await flood(nodes, 1200, 300);
    expect(atFirst.allowed).toBe(15);
    // Three seconds in which other nodes may have the budget, then a third of the window.
    await passInUse(nodes, 23, tick);
    const later = await flood(nodes, 1200, 300);
    expect(later.allowed).toBe(99);
    asked.isDown = false;
    tick();
    const { allowed } = await flood(nodes, 1200, 300);
    expect(allowed).toBeLessThanOrEqual(185 + 15);
    expect(allowed).toBeGreaterThanOrEqual(185 - 15);
  });

  test("lets no request wait in an endless loop when its window ends meanwhile", async () => {
    let nowMs = 120_000;
    const { budget, calls: asked } = createMemoryRateBudget();
    const [node] = await startNodes(1, budget, () => nowMs);
    const take = () => node?.take("token a", { requests: 1, seconds });
    asked.isDown = true;
    const waiting = take();
    nowMs += 60_000;
    void take();
    expect(await waiting).toEqual({ allowed: false, remaining: 0, resetSeconds: 3 });
  });
});

test("a node that starts while the budget fails does not take itself for the only one", async () => {
  let nowMs = 120_000;
  const { budget } = createMemoryRateBudget();
  const down = () => Promise.reject(new Error("down"));
  const node = await startClusterRateLimiter({
    memory: createClusterRateMemory(256),
    now: () => nowMs,
    budget: { ...budget, take: down, beat: down },
    onError: () => {},
  });
  onTestFinished(() => node.stop());
  expect((await flood([node], 400, 300)).allowed).toBe(0);
  await passInUse([node], 23, () => {
    nowMs += 1000;
  });
  expect((await flood([node], 400, 300)).allowed).toBe(5);
});

test("a node with few requests waits only twice in an outage", async () => {
  let nowMs = 120_000;
  const { budget, calls: asked } = createMemoryRateBudget();
  const [node] = await startNodes(1, budget, () => nowMs);
  asked.isDown = true;
  const admitted: (boolean | undefined)[] = [];
  for (let request = 0; request < 8; request++, nowMs += 3000)
    admitted.push((await node?.take("token a", { requests: 20, seconds }))?.allowed);
  expect(admitted).toEqual([true, false, false, false, true, true, true, true]);
});

test("a limit that one node has used up is not admitted again by the others when the budget fails", async () => {
  const { budget, calls: asked } = createMemoryRateBudget();
  let nowMs = 150_000;
  const nodes = await startNodes(3, budget, () => nowMs);
  const [first, ...others] = nodes;
  const before = await flood(first === undefined ? [] : [first], 400, 300);
  asked.isDown = true;
  const atFirst = await flood(others, 400, 300);
  await passInUse(others, 6, () => {
    nowMs += 1000;
  });
  const after = await flood(others, 400, 300);
  expect(before.allowed + atFirst.allowed + after.allowed).toBeLessThanOrEqual(330);
  expect(after.allowed).toBeGreaterThan(0);
});

describeOnPostgres("a limit of a cluster on PostgreSQL", () => {
  test("holds within a tenth, with few statements", async () => {
    const { db, close } = await openTestPostgres();
    const nowMs = Date.UTC(2026, 4, 1);
    const budget = createPostgresRateBudget({ db, clock: { now: () => nowMs } });
    let statements = 0;
    const counting: RateBudget = {
      ...budget,
      take(requests) {
        statements += 1;
        return budget.take(requests);
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
