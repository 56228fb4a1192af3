import { afterEach, describe, expect, test, vi } from "vitest";
import { createMemoryRateBudget } from "../../../testing/memory-rate-budget.ts";
import type { RateBudget } from "../../ports/rate-budget.ts";
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
const windows = 3;
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

function isCut({ nodes, atMs, lengthMs }: Fault, node: number): boolean {
  const time = Date.now() - startMs;
  return nodes.includes(node) && time >= atMs && time < atMs + lengthMs;
}

/** The budget as one node reaches it. */
function cuttable(budget: RateBudget, fault: Fault, node: number): RateBudget {
  const reach = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    if (!isCut(fault, node)) return ask();
    if (fault.isSilent) return new Promise(() => {});
    throw new Error("The connection was closed.");
  };
  return {
    take: (requests) => reach(() => budget.take(requests)),
    beat: (name) => reach(() => budget.beat(name)),
  };
}

async function startNodes(fault: Fault): Promise<ClusterRateLimiter[]> {
  const { budget } = createMemoryRateBudget();
  const nodes: ClusterRateLimiter[] = [];
  for (let node = 0; node < nodeCount; node += 1) {
    const started = await startClusterRateLimiter({
      memory: createClusterRateMemory(64),
      now: Date.now,
      budget: cuttable(budget, fault, node),
      onError: () => {},
    });
    nodes.push(started);
  }
  return nodes;
}

/** Requests of one client through a balancer. Returns how many were admitted in each window. */
async function admittedPerWindow(fault: Fault): Promise<number[]> {
  vi.useFakeTimers({ now: startMs });
  const nodes = await startNodes(fault);
  const admitted = Array.from({ length: windows }, () => 0);
  for (let turn = 0; turn * everyMs < windows * windowMs; turn += 1) {
    const usable = nodes.filter((_, node) => !isOutOfUse(fault, node));
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

function isOutOfUse(fault: Fault, node: number): boolean {
  return isCut(fault, node) && Date.now() - startMs - fault.atMs >= inUseMs;
}

/** In the second window. */
const starts = [0, 500, 1000, 2000, 3000, 3500, 4000, 4500, 5000, 6000, 7500, 9000];
const faults = starts.flatMap((inWindowMs) =>
  [2000, 6000, 10_000].flatMap((lengthMs) =>
    [true, false].map((isSilent) => ({ atMs: windowMs + inWindowMs, lengthMs, isSilent })),
  ),
);

/** Two hours of requests are simulated. */
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

  test("is used up by a client that exceeds it while no node can reach the database", {
    timeout,
  }, async () => {
    const outage = { nodes: [0, 1, 2], atMs: 2000, lengthMs: 3 * windowMs, isSilent: true };
    const [, during = 0, later = 0] = await admittedPerWindow(outage);
    expect(Math.min(during, later)).toBeGreaterThanOrEqual(0.9 * limit.requests);
  });
});
