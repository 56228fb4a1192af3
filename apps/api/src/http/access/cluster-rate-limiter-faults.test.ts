import type { RateBudget } from "@product-search/core/ports/quotas.ts";
import { createMemoryRateBudget } from "@product-search/testing/memory-ports.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type ClusterRateLimiter,
  createClusterRateMemory,
  startClusterRateLimiter,
} from "./cluster-rate-limiter.ts";

const limit = { requests: 60, seconds: 10 };
const windowMs = 10_000;
const nodeCount = 3;
/** Twice as many requests as the limit allows. */
const everyMs = 80;
/** A node that alone cannot reach the database reports itself not ready, and a balancer notices it. */
const inUseMs = 3000;
/** After this time, a node has found that the database responds again, and after this one, so has the balancer. */
const noticedMs = 400;
const backInUseMs = 1500;
const windows = 4;
const startMs = Date.UTC(2026, 4, 1);

interface Fault {
  /** Of the nodes that cannot reach the database. */
  nodes: readonly number[];
  atMs: number;
  lengthMs: number;
  /** Whether statements fail at once or get no response. */
  isSilent: boolean;
}

afterEach(() => void vi.useRealTimers());

/** One fault at a time. */
function faultOf(faults: readonly Fault[], node: number): Fault | undefined {
  const time = Date.now() - startMs;
  return faults.find(
    ({ nodes, atMs, lengthMs }) => nodes.includes(node) && time >= atMs && time < atMs + lengthMs,
  );
}

/** The budget as one node reaches it. */
function cuttable(budget: RateBudget, faults: readonly Fault[], node: number): RateBudget {
  const reach = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    const fault = faultOf(faults, node);
    if (fault === undefined) return ask();
    if (fault.isSilent) return new Promise(() => {});
    throw new Error("The connection was closed.");
  };
  return {
    take: (requests) => reach(() => budget.take(requests)),
    beat: (name) => reach(() => budget.beat(name)),
  };
}

async function startNodes(faults: readonly Fault[]): Promise<ClusterRateLimiter[]> {
  const { budget } = createMemoryRateBudget();
  const nodes: ClusterRateLimiter[] = [];
  for (let node = 0; node < nodeCount; node += 1) {
    const started = await startClusterRateLimiter({
      memory: createClusterRateMemory(64),
      now: Date.now,
      budget: cuttable(budget, faults, node),
      onError: () => {},
    });
    nodes.push(started);
  }
  return nodes;
}

/** Requests of one client through a balancer. Returns how many were admitted in each window. */
async function admittedPerWindow(...faults: Fault[]): Promise<number[]> {
  vi.useFakeTimers({ now: startMs });
  const nodes = await startNodes(faults);
  for (const { nodes: cut, atMs, lengthMs } of faults) {
    for (const node of cut)
      setTimeout(
        () => {
          if (faultOf(faults, node) === undefined) nodes[node]?.databaseReached();
        },
        atMs + lengthMs + noticedMs,
      );
  }
  const admitted = Array.from({ length: windows }, () => 0);
  for (let turn = 0; turn * everyMs < windows * windowMs; turn += 1) {
    const usable = nodes.filter((_, node) => !isOutOfUse(faults, node));
    const inUse = usable.length > 0 ? usable : nodes;
    const window = Math.floor((turn * everyMs) / windowMs);
    const verdict = inUse[turn % inUse.length]?.take("ip 192.0.2.1", limit);
    void Promise.resolve(verdict).then((settled) => {
      if (settled?.allowed) admitted[window] = (admitted[window] ?? 0) + 1;
    });
    await vi.advanceTimersByTimeAsync(everyMs);
  }
  for (const node of nodes) node.stop();
  return admitted;
}

function isOutOfUse(faults: readonly Fault[], node: number): boolean {
  const time = Date.now() - startMs;
  return faults.some(
    ({ nodes, atMs, lengthMs }) =>
      nodes.includes(node) && time >= atMs + inUseMs && time < atMs + lengthMs + backInUseMs,
  );
}

/** In the third window. */
const starts = [0, 500, 1000, 2000, 3000, 3500, 4000, 4500, 5000, 6000, 7500, 9000];
const faults = starts.flatMap((inWindowMs) =>
  [2000, 6000, 10_000].flatMap((lengthMs) =>
    [true, false].map((isSilent) => ({ atMs: 2 * windowMs + inWindowMs, lengthMs, isSilent })),
  ),
);

/** Six hours of requests are simulated. */
const timeout = 60_000;

describe("a limit of a cluster, whenever a fault begins and however long it is", () => {
  test.each([
    ["one node", [1]],
    ["two nodes", [0, 2]],
    ["all nodes", [0, 1, 2]],
  ])("is exceeded by at most a tenth when %s cannot reach the database", { timeout }, async (_, nodes) => {
    const most: number[] = [];
    for (const fault of faults) most.push(...(await admittedPerWindow({ ...fault, nodes })));
    expect(Math.max(...most)).toBeLessThanOrEqual(1.1 * limit.requests);
  });

  test("is exceeded by at most a tenth when a node returns a second before all lose the database", {
    timeout,
  }, async () => {
    const most: number[] = [];
    for (const fault of faults) {
      const before = { ...fault, nodes: [1], atMs: fault.atMs - 9000, lengthMs: 8000 };
      most.push(...(await admittedPerWindow(before, { ...fault, nodes: [0, 1, 2] })));
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(1.1 * limit.requests);
  });

  test.each([4000, 6000, 8000, 19_000])(
    "is exceeded by at most a tenth when all nodes lose the database %i ms after one did",
    {
      timeout,
    },
    async (earlierMs) => {
      const most: number[] = [];
      for (const fault of faults) {
        const atMs = fault.atMs - earlierMs;
        const before = { ...fault, nodes: [1], atMs, lengthMs: fault.atMs + fault.lengthMs - atMs };
        most.push(...(await admittedPerWindow(before, { ...fault, nodes: [0, 1, 2] })));
      }
      expect(Math.max(...most)).toBeLessThanOrEqual(1.1 * limit.requests);
    },
  );

  test("is used up by a client that exceeds it while no node can reach the database", {
    timeout,
  }, async () => {
    const outage = { nodes: [0, 1, 2], atMs: 2000, lengthMs: 3 * windowMs, isSilent: true };
    const [, during = 0, later = 0] = await admittedPerWindow(outage);
    expect(Math.min(during, later)).toBeGreaterThanOrEqual(0.9 * limit.requests);
  });
});
