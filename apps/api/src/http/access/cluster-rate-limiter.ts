import { randomInt } from "node:crypto";
import { hostname } from "node:os";
import { createCallsInFlight } from "@product-search/core/mechanisms/share-in-flight.ts";
import type {
  BudgetRequest,
  BudgetSlice,
  RateBudget,
  RateLimit,
} from "@product-search/core/ports/rate-budget.ts";
import type { RateLimiter, RateVerdict } from "@product-search/http-rules/access/rate-limiter.ts";
import { createRateSlots, defaultSlots } from "@product-search/http-rules/access/rate-slots.ts";
import { beatFields, startNodeBeats } from "./node-beats.ts";

/** A failure within this time after another one, with no success between them, belongs to the same outage. */
const sameOutageMs = 30_000;

/**
 * A node that decides no request for this time in an outage was probably cut off alone, and gets requests again when all
 * nodes have lost the budget. So the outage begins again for it, once: a node with few requests has such pauses too.
 */
const unusedMs = 2_000;

/** The cells of this in memory that all threads of a node share. */
const silenceFields = 4;

/** Requests wait for it, once in an outage. After this time, this node decides alone. */
const timeoutMs = 1000;

/** For this time after a failure, no request waits for the budget. */
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
/** The memory before the slots: this node's name, its heartbeats, and how long the budget is silent. */
const header = { node: 0, beats: 1, silence: 1 + beatFields };
const headerFields = header.silence + silenceFields;
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
  const asker = createBudgetAsker(budget, onError);
  const silence = createBudgetSilence(cells, header.silence, now);
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
    const { slot, limit, resetSeconds } = ask;
    const count = Atomics.add(cells, slot + cell.count, 1) + 1;
    const granted = Atomics.load(cells, slot + cell.granted);
    const left = Atomics.load(cells, slot + cell.left);
    if (count <= granted) {
      const isLow = granted - count <= Math.min(limit / 40, left / (8 * nodes()));
      if (isLow && left > 0 && isFirstToAsk(slot)) void refill(ask);
      return { allowed: true, remaining: Math.max(0, left + granted - count), resetSeconds };
    }
    Atomics.sub(cells, slot + cell.count, 1);
    if (Atomics.load(cells, slot + cell.state) === states.usedUp) {
      return { allowed: false, remaining: 0, resetSeconds };
    }
    const silentMs = silence.lengthMs();
    if (silentMs === undefined) return undefined;
    void refill(ask);
    return takeAlone(ask, silentMs);
  };
  /**
   * Without the budget: this node's part of what was left, and never more than its part of the time since then. All nodes
   * together stay within the limit; a node that was used little before cannot make up for it.
   */
  const takeAlone = ({ slot, window, seconds, limit, resetSeconds }: Ask, silentMs: number): RateVerdict => {
    const windowMs = seconds * 1000;
    const countedMs = Math.min(silentMs - doubtMs, now() - window * windowMs);
    const most = Math.min(Atomics.load(cells, slot + cell.left), (limit * Math.max(0, countedMs)) / windowMs);
    const remaining = Math.floor(most / nodes()) - Atomics.add(cells, slot + cell.alone, 1) - 1;
    if (remaining < 0) {
      Atomics.sub(cells, slot + cell.alone, 1);
      // More is admitted before the window ends.
      return { allowed: false, remaining: 0, resetSeconds: Math.min(resetSeconds, doubtMs / 1000) };
    }
    Atomics.add(cells, slot + cell.unreported, 1);
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
    const slice = await asker.ask({ key: `${seconds} ${key}`, window, endsAtMs, limit, spent });
    if (slice === undefined) silence.failed();
    else silence.ended();
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
    const { key, seconds, limit } = ask;
    await refill(ask);
    // The next window may have begun meanwhile.
    return take(key, { requests: limit, seconds });
  };
  const windowAt = (seconds: number) => Math.floor(Math.floor(now() / 1000) / seconds) | 0;
  const take = (key: string, { requests: limit, seconds }: RateLimit) => {
    const thisWindow = windowAt(seconds);
    const slot = slots.find(key, thisWindow, seconds);
    const window = slots.windowOf(slot, thisWindow);
    if (slots.isNewWindow(slot, window)) empty(slot, limit);
    const resetSeconds = seconds - (Math.floor(now() / 1000) % seconds);
    const ask = { slot, key, window, seconds, limit, resetSeconds };
    return tryTake(ask) ?? wait(ask);
  };

  return {
    nodes,
    take,
    databaseReached() {
      asker.resume();
      silence.ended();
    },
    stop,
  };
}

interface Ask extends Omit<RateLimit, "requests"> {
  slot: number;
  key: string;
  window: number;
  limit: number;
  resetSeconds: number;
}

interface BudgetAsker {
  /** Undefined if the budget is not available at the moment. */
  ask(request: BudgetRequest): Promise<BudgetSlice | undefined>;
  /** The next request asks, even if one has just failed. */
  resume(): void;
}

interface Waiting {
  request: BudgetRequest;
  slice: Promise<BudgetSlice | undefined>;
  resolve(slice: BudgetSlice | undefined): void;
}

/** Requests slices for all keys in one statement at a time. Keys that come meanwhile are collected for the next. */
function createBudgetAsker(budget: RateBudget, onError: (error: unknown) => void): BudgetAsker {
  let gathered = new Map<string, Waiting>();
  let isAsking = false;
  let pausedUntilMs = 0;

  const askAll = async (batch: readonly Waiting[]) => {
    try {
      const slices = await withTimeout(budget.take(batch.map(({ request }) => request)));
      for (const [index, { resolve }] of batch.entries()) resolve(slices[index]);
    } catch (error) {
      pausedUntilMs = performance.now() + pauseAfterErrorMs;
      onError(error);
      for (const { resolve } of batch) resolve(undefined);
    }
  };
  const run = async () => {
    isAsking = true;
    while (gathered.size > 0) {
      const batch = [...gathered.values()];
      gathered = new Map();
      await askAll(batch);
    }
    isAsking = false;
  };

  return {
    ask(request) {
      if (performance.now() < pausedUntilMs) return Promise.resolve(undefined);
      const name = `${request.window} ${request.key}`;
      const known = gathered.get(name);
      // There is one slice for each request.
      if (known !== undefined) return known.slice.then(() => this.ask(request));
      const { promise: slice, resolve } = Promise.withResolvers<BudgetSlice | undefined>();
      gathered.set(name, { request, slice, resolve });
      if (!isAsking) void run();
      return slice;
    },
    resume() {
      pausedUntilMs = 0;
    },
  };
}

async function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error("The budget of rate limits did not respond.")),
    timeoutMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long the budget of rate limits has not been available to this node. */
interface BudgetSilence {
  failed(): void;
  ended(): void;
  /**
   * Milliseconds since the first failure, or since the node was used again; undefined while the budget is available, as far
   * as is known. Call it for each request that the budget would decide.
   */
  lengthMs(): number | undefined;
}

/** Times are kept modulo 2³² milliseconds; 0 stands for none. */
function createBudgetSilence(cells: Int32Array, at: number, now: () => number): BudgetSilence {
  const [first, last, used, hasRestarted] = [at, at + 1, at + 2, at + 3];
  const time = () => Math.trunc(now()) | 0 || 1;
  const passedMs = (cell: number) => (time() - Atomics.load(cells, cell)) | 0;
  const isOutage = () => {
    const sinceLast = passedMs(last);
    return Atomics.load(cells, last) !== 0 && sinceLast >= 0 && sinceLast < sameOutageMs;
  };
  return {
    failed() {
      if (!isOutage()) {
        for (const cell of [first, used]) Atomics.store(cells, cell, time());
        Atomics.store(cells, hasRestarted, 0);
      }
      Atomics.store(cells, last, time());
    },
    ended: () => void Atomics.store(cells, last, 0),
    lengthMs() {
      if (!isOutage()) return undefined;
      if (passedMs(used) >= unusedMs && Atomics.load(cells, hasRestarted) === 0) {
        Atomics.store(cells, first, time());
        Atomics.store(cells, hasRestarted, 1);
      }
      Atomics.store(cells, used, time());
      return Math.max(0, passedMs(first));
    },
  };
}
