import { randomInt } from "node:crypto";
import { hostname } from "node:os";
import { createCallsInFlight } from "@product-search/core/mechanisms/share-in-flight.ts";
import type { BudgetRequest, BudgetSlice, RateBudget, RateLimit } from "@product-search/core/ports/quotas.ts";
import {
  createRateSlots,
  defaultSlots,
  type RateLimiter,
  type RateVerdict,
} from "@product-search/http-rules/access/rate-limiter.ts";
import { beatFields, startNodeBeats } from "./node-beats.ts";

/** A failure within this time after another one, with no success between them, belongs to the same outage. */
const sameOutageMs = 30_000;

/**
 * A node that decides no request for this time in an outage was probably cut off alone, and gets requests again when all
 * nodes have lost the budget. So the outage begins again for it, once: a node with few requests has such pauses too.
 */
const unusedMs = 2_000;

/** Requests wait for it, once in an outage. After this time, this node decides alone. */
const timeoutMs = 1000;

/** For this time after a failure, the budget is not asked. */
const pauseAfterErrorMs = 1000;

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
  /**
   * The database responds again, as other parts of the node have found: requests ask the budget. A node that others were
   * used instead of would else not know what they have admitted in this window.
   */
  databaseReached(): void;
  stop(): void;
}

/** The cells of a slot after its fingerprint and window. */
const cell = { count: 2, granted: 3, left: 4, unreported: 5, state: 6, alone: 7 };
const slotFields = 8;
/** The memory before the slots: this node's name, three times of an outage, and its heartbeats. */
const header = { node: 0, firstFailure: 1, lastFailure: 2, lastUse: 3, beats: 4 };
const headerFields = header.beats + beatFields;
const states = { open: 0, asking: 1, usedUp: 2 };

/** The share of the limit that all nodes together may admit without asking. The limit can be exceeded by this share. */
const creditShare = 0.05;
/**
 * For this time without the budget, a node admits only what it was granted. If it alone cannot reach the budget, it then
 * reports itself not ready, and a balancer sends it nothing; the other nodes go on admitting the whole limit.
 * When it gets requests again without the budget, this time begins again.
 */
const doubtMs = 3000;

/** Memory for this many keys at a time. All threads of a node share the same memory. */
export function createClusterRateMemory(slots = defaultSlots): SharedArrayBuffer {
  return new SharedArrayBuffer((headerFields + slots * slotFields) * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Fixed windows that apply to all nodes of a cluster. A node admits a few requests of a key without asking, and takes
 * slices of the budget in the background before it needs them. Only a request that finds none left waits for a slice.
 * While the budget is not available, each node admits its equal part of the limit, spread over the window.
 */
export async function startClusterRateLimiter(
  settings: ClusterRateLimiterSettings,
): Promise<ClusterRateLimiter> {
  const { memory, now, budget, onError } = settings;
  const cells = new Int32Array(memory);
  const slots = createRateSlots(cells, slotFields, headerFields);
  const requestSlice = createBudgetAsker(budget, onError);
  const outage = createOutage(cells, now);
  Atomics.compareExchange(cells, header.node, 0, randomInt(1, 2 ** 31));
  const name = `${hostname()} ${Atomics.load(cells, header.node)}`;
  const { nodes, stop } = await startNodeBeats({
    cells,
    at: header.beats,
    beat: () => budget.beat(name),
    onError,
    everyMs: settings.beatEveryMs,
  });

  const empty = (slot: number, limit: number) => {
    const credit = Math.floor((limit * creditShare) / nodes());
    Atomics.store(cells, slot + cell.granted, credit);
    Atomics.store(cells, slot + cell.left, limit - credit);
    Atomics.store(cells, slot + cell.unreported, credit);
    Atomics.store(cells, slot + cell.state, states.open);
    Atomics.store(cells, slot + cell.alone, 0);
    Atomics.store(cells, slot + cell.count, 0);
  };

  /** Undefined if nothing is left here, and a slice must be requested. */
  const tryTake = (ask: Ask): RateVerdict | undefined => {
    const { slot, limit, taken, resetSeconds } = ask;
    const count = Atomics.add(cells, slot + cell.count, taken) + taken;
    const granted = Atomics.load(cells, slot + cell.granted);
    const left = Atomics.load(cells, slot + cell.left);
    if (count <= granted) {
      const isLow = granted - count <= Math.min(limit / 40, left / (8 * nodes()));
      if (isLow && left > 0 && outage.mayAsk() && isFirstToAsk(slot)) void refill(ask);
      return { allowed: true, remaining: Math.max(0, left + granted - count), resetSeconds };
    }
    Atomics.sub(cells, slot + cell.count, taken);
    if (Atomics.load(cells, slot + cell.state) === states.usedUp) {
      return { allowed: false, remaining: 0, resetSeconds };
    }
    const outageMs = outage.lengthMs();
    if (outageMs === undefined) return undefined;
    if (outage.mayAsk()) void refill(ask);
    return takeAlone(ask, outageMs);
  };
  /**
   * Without the budget: this node's part of what was left, and never more than its part of the time since then. All nodes
   * together stay within the limit; a node that was used little before cannot make up for it.
   */
  const takeAlone = (
    { slot, window, seconds, limit, taken, resetSeconds }: Ask,
    outageMs: number,
  ): RateVerdict => {
    const windowMs = seconds * 1000;
    const countedMs = Math.min(outageMs - doubtMs, now() - window * windowMs);
    const most = Math.min(Atomics.load(cells, slot + cell.left), (limit * Math.max(0, countedMs)) / windowMs);
    const remaining = Math.floor(most / nodes()) - Atomics.add(cells, slot + cell.alone, taken) - taken;
    if (remaining < 0) {
      Atomics.sub(cells, slot + cell.alone, taken);
      // More is admitted before the window ends.
      return { allowed: false, remaining: 0, resetSeconds: Math.min(resetSeconds, doubtMs / 1000) };
    }
    Atomics.add(cells, slot + cell.unreported, taken);
    return { allowed: true, remaining, resetSeconds };
  };
  const isFirstToAsk = (slot: number) =>
    Atomics.compareExchange(cells, slot + cell.state, states.open, states.asking) === states.open;

  const refilling = createCallsInFlight<number, void>();
  /** One request at a time per slot: callers that come meanwhile wait for the same one. */
  const refill = (ask: Ask): Promise<void> => refilling.share(ask.slot, () => takeSlice(ask));
  const takeSlice = async (ask: Ask): Promise<void> => {
    const { slot, key, window, seconds, limit } = ask;
    const spent = Atomics.exchange(cells, slot + cell.unreported, 0);
    const endsAtMs = (window + 1) * seconds * 1000;
    const slice = await requestSlice({ key: `${seconds} ${key}`, window, endsAtMs, limit, spent });
    if (slice === undefined) outage.failed();
    else outage.ended();
    if (Atomics.load(cells, slot + 1) !== window) return;
    if (slice === undefined) {
      Atomics.add(cells, slot + cell.unreported, spent);
      Atomics.store(cells, slot + cell.state, states.open);
      return;
    }
    Atomics.add(cells, slot + cell.granted, slice.granted);
    Atomics.store(cells, slot + cell.left, slice.left);
    Atomics.store(cells, slot + cell.alone, 0);
    Atomics.store(cells, slot + cell.state, slice.granted > 0 ? states.open : states.usedUp);
  };

  const wait = async (ask: Ask): Promise<RateVerdict> => {
    const { key, seconds, limit, taken } = ask;
    await refill(ask);
    // The next window may have begun meanwhile.
    return take(key, { requests: limit, seconds }, taken);
  };
  const windowAt = (seconds: number) => Math.floor(Math.floor(now() / 1000) / seconds) | 0;
  const take = (key: string, { requests: limit, seconds }: RateLimit, taken = 1) => {
    const thisWindow = windowAt(seconds);
    const slot = slots.find(key, thisWindow, seconds);
    const window = slots.windowOf(slot, thisWindow);
    if (slots.isNewWindow(slot, window)) empty(slot, limit);
    const resetSeconds = seconds - (Math.floor(now() / 1000) % seconds);
    const ask = { slot, key, window, seconds, limit, taken, resetSeconds };
    return tryTake(ask) ?? wait(ask);
  };

  return { nodes, take, databaseReached: outage.ended, stop };
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

/** Undefined if the budget is not available at the moment. */
type RequestSlice = (request: BudgetRequest) => Promise<BudgetSlice | undefined>;

/** Requests slices for all keys in one statement at a time. Keys that come meanwhile are collected for the next. */
function createBudgetAsker(budget: RateBudget, onError: (error: unknown) => void): RequestSlice {
  let gathered: { request: BudgetRequest; resolve(slice: BudgetSlice | undefined): void }[] = [];
  let isAsking = false;
  const run = async () => {
    isAsking = true;
    while (gathered.length > 0) {
      const batch = gathered;
      gathered = [];
      const slices = await withTimeout(budget.take(batch.map(({ request }) => request))).catch(onError);
      for (const [index, { resolve }] of batch.entries()) resolve(slices?.[index]);
    }
    isAsking = false;
  };
  return (request) => {
    const { promise, resolve } = Promise.withResolvers<BudgetSlice | undefined>();
    gathered.push({ request, resolve });
    if (!isAsking) void run();
    return promise;
  };
}

function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const error = new Error("The budget of rate limits did not respond.");
  const timer = setTimeout(() => late.reject(error), timeoutMs);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

/** The time in which the budget is not available to this node, for all its threads. */
interface Outage {
  failed(): void;
  ended(): void;
  /** False for a while after a failure. */
  mayAsk(): boolean;
  /**
   * Milliseconds since the first failure, or since the node was used again; undefined while the budget is available, as far
   * as is known. Call it for each request that the budget would decide.
   */
  lengthMs(): number | undefined;
}

/** Times are kept modulo 2³² milliseconds; 0 stands for none. */
function createOutage(cells: Int32Array, now: () => number): Outage {
  const { firstFailure, lastFailure, lastUse } = header;
  const set = (cell: number) => Atomics.store(cells, cell, Math.trunc(now()) | 0 || 1);
  const passedMs = (cell: number) => (Math.trunc(now()) - Atomics.load(cells, cell)) | 0;
  const hasFailedWithin = (ms: number) => {
    const sinceFailureMs = passedMs(lastFailure);
    return Atomics.load(cells, lastFailure) !== 0 && sinceFailureMs >= 0 && sinceFailureMs < ms;
  };
  return {
    failed() {
      if (!hasFailedWithin(sameOutageMs)) {
        set(firstFailure);
        set(lastUse);
      }
      set(lastFailure);
    },
    ended: () => void Atomics.store(cells, lastFailure, 0),
    mayAsk: () => !hasFailedWithin(pauseAfterErrorMs),
    lengthMs() {
      if (!hasFailedWithin(sameOutageMs)) return undefined;
      if (Atomics.load(cells, lastUse) !== 0) {
        if (passedMs(lastUse) < unusedMs) set(lastUse);
        else {
          set(firstFailure);
          Atomics.store(cells, lastUse, 0);
        }
      }
      return Math.max(0, passedMs(firstFailure));
    },
  };
}
