import { randomInt } from "node:crypto";
import { hostname } from "node:os";
import type { RateBudget, RateLimit } from "@product-search/core/ports/quotas.ts";
import {
  createRateSlots,
  defaultSlots,
  type RateLimiter,
  type RateVerdict,
} from "@product-search/http-rules/access/rate-limiter.ts";

/** Requests wait for the budget at most so long. After a failure, it is asked again after the same time. */
const timeoutMs = 1000;

/**
 * For this time without the budget, a node admits hardly anything. If it alone cannot reach the budget, it then reports
 * itself not ready, and a balancer sends it nothing; the other nodes go on admitting the whole limit.
 */
const doubtMs = 3000;

/** After a failure of the budget, nodes seem to be dead for this time, until they have reported again. */
const settlingMs = 6000;

/** A node that could not ask yet how many nodes there are admits little alone. */
const assumedNodes = 20;

/** All nodes together may always have this part of a limit unreported. The limit can be exceeded by this part. */
const creditShare = 0.05;

/** All nodes together may have one part of so many of what is left of a limit unreported. */
const partsOfRest = 4;

export interface ClusterRateLimiterSettings {
  memory: SharedArrayBuffer;
  /** The same time on all nodes. */
  now: () => number;
  budget: RateBudget;
  onError(error: unknown): void;
  /** Interval of this node's heartbeats. One of its threads sends them. */
  beatEveryMs?: number;
}

export interface ClusterRateLimiter extends RateLimiter {
  /** How many nodes shared the limits at the last heartbeat. */
  nodes(): number;
  stop(): void;
}

/** The cells of a slot after its fingerprint and window: what all nodes had used at the last report, and what followed. */
const cell = { used: 2, unreported: 3, inFlight: 4 };
const slotFields = 5;
/** The memory before the slots: two numbers, the last turn of a heartbeat, and two times. Times are kept modulo 2³² milliseconds; 0 stands for none. */
const header = { node: 0, nodes: 1, lastTurn: 2, outageSince: 3, lastFailure: 4 };
const headerFields = 5;

/** Memory for this many keys at a time. All threads of a node share the same memory. */
export function createClusterRateMemory(slots = defaultSlots): SharedArrayBuffer {
  return new SharedArrayBuffer((headerFields + slots * slotFields) * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Fixed windows that apply to all nodes of a cluster. A node admits a part of what is left without asking, and reports it in
 * the background. Only a request beyond that part waits for the budget. While the budget is not available, each node admits
 * its equal part of what was left.
 */
export async function startClusterRateLimiter(
  settings: ClusterRateLimiterSettings,
): Promise<ClusterRateLimiter> {
  const { memory, now, budget, onError, beatEveryMs = 2000 } = settings;
  const cells = new Int32Array(memory);
  const slots = createRateSlots(cells, slotFields, headerFields);
  Atomics.compareExchange(cells, header.node, 0, randomInt(1, 2 ** 31));
  const name = `${hostname()} ${Atomics.load(cells, header.node)}`;
  const nodes = () => Atomics.load(cells, header.nodes) || assumedNodes;
  const timestamp = () => Math.trunc(now()) | 0 || 1;
  /** Infinite if the cell has no time. */
  const passedMs = (at: number) => {
    const since = Atomics.load(cells, at);
    return since === 0 ? Number.POSITIVE_INFINITY : Math.abs((timestamp() - since) | 0);
  };
  const isOutage = () => Atomics.load(cells, header.outageSince) !== 0;
  const mayAsk = () => !isOutage() || passedMs(header.lastFailure) >= timeoutMs;

  /** Undefined if the budget is not available. */
  const reach = async <Reply>(request: () => Promise<Reply>): Promise<Reply | undefined> => {
    try {
      const reply = await withTimeout(request());
      Atomics.store(cells, header.outageSince, 0);
      return reply;
    } catch (error) {
      Atomics.compareExchange(cells, header.outageSince, 0, timestamp());
      Atomics.store(cells, header.lastFailure, timestamp());
      onError(error);
      return undefined;
    }
  };

  const beat = async () => {
    const count = await reach(() => budget.beat(name));
    if (count === undefined) return;
    const isSettling = passedMs(header.lastFailure) < settlingMs;
    Atomics.store(
      cells,
      header.nodes,
      isSettling ? Math.max(count, Atomics.load(cells, header.nodes)) : count,
    );
  };
  /** Each thread does this: another one takes over when one has ended or is busy. */
  const beatInTurn = async () => {
    const turn = Math.trunc(Date.now() / beatEveryMs) | 0;
    if (Atomics.exchange(cells, header.lastTurn, turn) !== turn) await beat();
  };

  /** How many requests this node may have admitted without a report. */
  const allowanceOf = (limit: number, rest: number) => {
    const credit = Math.floor((limit * creditShare) / nodes());
    if (!isOutage()) return Math.max(credit, Math.floor(rest / (partsOfRest * nodes())));
    return passedMs(header.outageSince) < doubtMs ? credit : Math.max(credit, Math.floor(rest / nodes()));
  };

  /** Undefined if the budget must be asked. */
  const tryTake = (ask: Ask): RateVerdict | undefined => {
    const { slot, limit, taken, resetSeconds } = ask;
    const rest = limit - Atomics.load(cells, slot + cell.used);
    const allowance = allowanceOf(limit, rest);
    const inFlight = Atomics.load(cells, slot + cell.inFlight);
    const pending = Atomics.add(cells, slot + cell.unreported, taken) + taken + inFlight;
    if (pending <= Math.min(rest, allowance)) {
      if (pending > allowance / 2 && inFlight === 0 && mayAsk()) void report({ ...ask, taken: 0 });
      return { allowed: true, remaining: rest - pending, resetSeconds };
    }
    Atomics.sub(cells, slot + cell.unreported, taken);
    if (rest <= 0) return { allowed: false, remaining: 0, resetSeconds };
    if (mayAsk()) return undefined;
    // More is admitted before the window ends.
    return { allowed: false, remaining: 0, resetSeconds: Math.min(resetSeconds, doubtMs / 1000) };
  };

  let waiting = new Map<string, Waiting>();
  let isReporting = false;
  /** Reports what was admitted, and asks for what the request takes. Requests that come meanwhile are collected for the next. */
  const report = (ask: Ask): Promise<RateVerdict> => {
    const { promise, resolve } = Promise.withResolvers<RateVerdict>();
    const id = `${ask.window} ${ask.seconds} ${ask.key}`;
    const entry = waiting.get(id) ?? { ask, requests: [] };
    waiting.set(id, entry);
    entry.requests.push({ ask, resolve });
    if (!isReporting) void reportAll();
    return promise;
  };
  const reportAll = async () => {
    isReporting = true;
    while (waiting.size > 0) {
      const batch = [...waiting.values()];
      waiting = new Map();
      const used = batch.map(({ ask: { slot } }) => {
        const count = Atomics.exchange(cells, slot + cell.unreported, 0);
        Atomics.add(cells, slot + cell.inFlight, count);
        return count;
      });
      const reports = batch.map(({ ask: { key, window, seconds, limit }, requests }, at) => ({
        ...{ key: `${seconds} ${key}`, window, endsAtMs: (window + 1) * seconds * 1000, limit },
        used: used[at] ?? 0,
        asked: requests.reduce((sum, { ask }) => sum + ask.taken, 0),
      }));
      const replies = await reach(() => budget.report(reports));
      for (const [at, { ask, requests }] of batch.entries())
        settle(ask, requests, used[at] ?? 0, replies?.[at]);
    }
    isReporting = false;
  };
  const settle = (
    { slot, window, limit }: Ask,
    requests: Waiting["requests"],
    reported: number,
    reply: { granted: number; used: number } | undefined,
  ) => {
    const isSameWindow = Atomics.load(cells, slot + 1) === window;
    if (isSameWindow) {
      Atomics.sub(cells, slot + cell.inFlight, reported);
      if (reply === undefined) Atomics.add(cells, slot + cell.unreported, reported);
      else
        Atomics.store(cells, slot + cell.used, Math.max(reply.used, Atomics.load(cells, slot + cell.used)));
    }
    let granted = reply?.granted ?? 0;
    for (const { ask, resolve } of requests) {
      // Without a reply, as the outage admits.
      const verdict = reply === undefined && isSameWindow ? tryTake(ask) : undefined;
      const allowed = reply !== undefined && ask.taken <= granted;
      if (allowed) granted -= ask.taken;
      const remaining = allowed ? Math.max(0, limit - (reply?.used ?? limit)) : 0;
      resolve(verdict ?? { allowed, remaining, resetSeconds: ask.resetSeconds });
    }
    // Granted, and too few for one that takes several.
    if (isSameWindow && granted > 0) Atomics.sub(cells, slot + cell.unreported, granted);
  };

  const take = (key: string, { requests: limit, seconds }: RateLimit, taken = 1) => {
    const time = Math.floor(now() / 1000);
    const thisWindow = Math.floor(time / seconds) | 0;
    const slot = slots.find(key, thisWindow, seconds);
    const window = slots.windowOf(slot, thisWindow);
    if (slots.isNewWindow(slot, window))
      for (const at of Object.values(cell)) Atomics.store(cells, slot + at, 0);
    const ask = { slot, key, window, seconds, limit, taken, resetSeconds: seconds - (time % seconds) };
    return tryTake(ask) ?? report(ask);
  };

  await beat();
  const timer = setInterval(beatInTurn, beatEveryMs);
  timer.unref();
  return { nodes, take, stop: () => clearInterval(timer) };
}

interface Ask extends Omit<RateLimit, "requests"> {
  slot: number;
  key: string;
  window: number;
  limit: number;
  /** How many requests are to be counted. */
  taken: number;
  resetSeconds: number;
}

/** What is to be reported of a key, and the requests that ask for more of it. */
interface Waiting {
  ask: Ask;
  requests: { ask: Ask; resolve(verdict: RateVerdict): void }[];
}

function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const error = new Error("The budget of rate limits did not respond.");
  const timer = setTimeout(() => late.reject(error), timeoutMs);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
