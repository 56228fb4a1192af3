import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextLoop } from "node:timers/promises";
import { ApiError } from "../errors.ts";

/**
 * Requests of one thread. Each occupies it for a while, and its caller is charged the processor time. While nobody waits, a
 * request starts at once. When a slice of time is used up, others wait, and those come first whose callers have used least
 * lately: a cheap request of one caller does not wait for the expensive ones of another.
 */
export interface FairQueue {
  /**
   * Does the work of a caller when it is its turn. Fails with `unavailable` if that takes too long or too many wait, and if
   * the client leaves. `leaving` is called only for work that waits.
   */
  run<Result>(caller: string, leaving: () => AbortSignal, work: () => Promise<Result>): Promise<Result>;
  /** The number of requests that wait. */
  readonly waiting: number;
  /** The processor time that the caller has used lately. */
  usedMs(caller: string): number;
}

export interface FairQueueLimits {
  /** The longest wait. */
  maxWaitMs: number;
  maxWaiting: number;
  maxWaitingPerCaller: number;
  /** When requests have occupied the thread for so long, everything else comes first: connections, health, timers. */
  sliceMs: number;
  /** After this time, half of what a caller has used is forgotten. */
  halfLifeMs: number;
}

export const fairQueueLimits: FairQueueLimits = {
  maxWaitMs: 1000,
  maxWaiting: 256,
  maxWaitingPerCaller: 64,
  sliceMs: 5,
  halfLifeMs: 10_000,
};

/** A request that has started, for the parts of its work that may wait again. */
class Running implements Payer {
  readonly queue: Queue;
  readonly caller: Caller;
  readonly #leaving: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(queue: Queue, caller: Caller, leaving: () => AbortSignal) {
    this.queue = queue;
    this.caller = caller;
    this.#leaving = leaving;
  }

  /** One signal, however often the request waits: each listens to the response. */
  leaving(): AbortSignal {
    this.#signal ??= this.#leaving();
    return this.#signal;
  }

  get usedMs(): number {
    return this.queue.usedBy(this.caller);
  }

  get share(): number {
    return this.queue.shareOf(this.caller);
  }

  charge(milliseconds: number): void {
    this.queue.charge(this.caller, milliseconds);
  }
}

interface Usage {
  usedMs: number;
  /** When `usedMs` was brought up to date. */
  atMs: number;
}

interface Caller extends Usage {
  /** Requests that have started come first. */
  readonly returning: Set<Waiter>;
  readonly fresh: Set<Waiter>;
}

interface Waiter {
  start(): void;
  refuse(reason: unknown): void;
}

const running = new AsyncLocalStorage<Running>();

/**
 * Called before a part of a request's work that occupies the thread. Undefined if the work may go on at once, else resolves
 * when it is its turn again. Fails if the client has left. Outside of a queue, nothing waits.
 */
export function giveWay(): Promise<void> | undefined {
  const request = running.getStore();
  return request?.queue.giveWay(request);
}

/**
 * Passes on what a request has waited for, at once in its own slice of time, else when it is its turn again. What another thread
 * or a server sends comes for many requests in one turn of the event loop.
 */
export function inTurn<Value>(value: Value): Value | Promise<Value> {
  const request = running.getStore();
  const turn = request?.queue.goOn(request);
  return turn === undefined ? value : turn.then(() => value);
}

/** For loops: connections, timers and the requests of others come first, also outside of a queue. */
export async function letOthersCome(): Promise<void> {
  await nextLoop();
  await giveWay();
}

/** Who pays for the present request. */
export interface Payer {
  /** The same for all requests of one caller. */
  readonly caller: object;
  /** The processor time used lately. */
  readonly usedMs: number;
  /** Of what all callers of the queue have used lately: 0 to 1. */
  readonly share: number;
  /** Adds processor time of another thread. */
  charge(milliseconds: number): void;
  leaving(): AbortSignal;
}

/** Undefined outside of a queue. */
export function presentPayer(): Payer | undefined {
  return running.getStore();
}

/** Callers who have used less than this are forgotten when there are many. */
const nothingMs = 1;
const manyCallers = 10_000;
/** So many start one after the other before the event loop goes on, if they are cheap. */
const startsAtOnce = 16;

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

export function createFairQueue(changes: Partial<FairQueueLimits> = {}): FairQueue {
  return new Queue({ ...fairQueueLimits, ...changes });
}

class Queue implements FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #callers = new Map<string, Caller>();
  readonly #all: Usage = { usedMs: 0, atMs: 0 };
  /** The callers whose requests wait, those served last at the end. */
  readonly #queues = new Set<Caller>();
  waiting = 0;
  /** Who occupies the thread, since when in its processor time. */
  #piece: { request: Running; atMs: number; startMs: number } | undefined;
  /** In this turn of the event loop. */
  #usedMs = 0;
  #isTicking = false;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  async run<Result>(name: string, leaving: () => AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const caller = this.#callerOf(name);
    const request = new Running(this, caller, leaving);
    if (this.#mustWait()) await this.#wait(caller, caller.fresh, request.leaving());
    this.#open(request);
    return running.run(request, work);
  }

  giveWay(request: Running): Promise<void> | undefined {
    if (this.#mustWait()) return this.#waitAgain(request);
    this.#open(request);
    return undefined;
  }

  /** For a request that may have lost its turn. */
  goOn(request: Running): Promise<void> | undefined {
    const piece = this.#piece;
    if (piece === undefined) return this.giveWay(request);
    // Real time is never less than the processor's, and costs less to read.
    if (piece.request === request && performance.now() - piece.atMs < this.#limits.sliceMs) return undefined;
    // Of requests that wait for the same promise, all go on before one has used any time.
    return this.#waitAgain(request);
  }

  #waitAgain(request: Running): Promise<void> {
    const { caller } = request;
    return this.#wait(caller, caller.returning, request.leaving()).then(() => this.#open(request));
  }

  charge(caller: Caller, milliseconds: number): void {
    const now = performance.now();
    for (const usage of [caller, this.#all]) {
      usage.usedMs = this.usedBy(usage, now) + milliseconds;
      usage.atMs = now;
    }
  }

  usedMs(name: string): number {
    const caller = this.#callers.get(name);
    return caller === undefined ? 0 : this.usedBy(caller);
  }

  shareOf(caller: Caller): number {
    const all = this.usedBy(this.#all);
    return all === 0 ? 0 : this.usedBy(caller) / all;
  }

  usedBy({ usedMs, atMs }: Usage, now = performance.now()): number {
    return usedMs === 0 ? 0 : usedMs * 2 ** ((atMs - now) / this.#limits.halfLifeMs);
  }

  #callerOf(name: string): Caller {
    const known = this.#callers.get(name);
    if (known !== undefined) return known;
    if (this.#callers.size >= manyCallers) this.#forget();
    const caller = { usedMs: 0, atMs: 0, returning: new Set<Waiter>(), fresh: new Set<Waiter>() };
    this.#callers.set(name, caller);
    return caller;
  }

  /** Those who have used nothing lately, and if none has, those who came first. */
  #forget(): void {
    const now = performance.now();
    for (const [name, caller] of this.#callers) {
      if (this.usedBy(caller, now) < nothingMs && !this.#queues.has(caller)) this.#callers.delete(name);
    }
    for (const name of this.#callers.keys()) {
      if (this.#callers.size < manyCallers) return;
      this.#callers.delete(name);
    }
  }

  #mustWait(): boolean {
    this.#close();
    return this.waiting > 0 || this.#usedMs >= this.#limits.sliceMs;
  }

  /** What the thread does from now on is the request's, until the next one or the end of this turn of the event loop. */
  #open(request: Running): void {
    this.#close();
    this.#piece = { request, atMs: performance.now(), startMs: threadMs() };
    this.#tickSoon();
  }

  #close(): void {
    if (this.#piece === undefined) return;
    const { request, startMs } = this.#piece;
    this.#piece = undefined;
    const milliseconds = threadMs() - startMs;
    this.#usedMs += milliseconds;
    this.charge(request.caller, milliseconds);
  }

  #tickSoon(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    setImmediate(this.#tick);
  }

  /** Once in a turn of the event loop. The next ones to start have it to themselves: nothing comes between them. */
  readonly #tick = (): void => {
    this.#close();
    this.#usedMs = 0;
    this.#isTicking = false;
    if (this.waiting === 0) return;
    for (let more = Math.min(this.waiting, startsAtOnce) - 1; more > 0; more--) setImmediate(this.#startNext);
    this.#tickSoon();
    this.#startNext();
  };

  readonly #startNext = (): void => {
    this.#close();
    if (this.#usedMs < this.#limits.sliceMs) this.#next()?.start();
  };

  #next(): Waiter | undefined {
    const caller = this.#extreme(-1);
    if (caller === undefined) return undefined;
    const [waiter] = caller.returning.size > 0 ? caller.returning : caller.fresh;
    // Behind others who have used as little.
    this.#queues.delete(caller);
    this.#queues.add(caller);
    return waiter;
  }

  /** Of the callers whose requests wait, the one that has used most (1) or least (−1). */
  #extreme(sign: 1 | -1): Caller | undefined {
    const now = performance.now();
    let best: { caller: Caller; usedMs: number } | undefined;
    for (const caller of this.#queues) {
      const usedMs = sign * this.usedBy(caller, now);
      if (best === undefined || usedMs > best.usedMs) best = { caller, usedMs };
    }
    return best?.caller;
  }

  #wait(caller: Caller, queue: Set<Waiter>, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const { maxWaitMs } = this.#limits;
    if (queue === caller.fresh && !this.#hasRoom(caller)) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        queue.delete(waiter);
        this.waiting -= 1;
        if (caller.returning.size + caller.fresh.size === 0) this.#queues.delete(caller);
      };
      const waiter: Waiter = {
        start() {
          settle();
          resolve();
        },
        refuse(reason) {
          settle();
          reject(reason);
        },
      };
      const abort = (): void => waiter.refuse(signal.reason);
      // What has started is finished, however long it takes.
      const timer = queue === caller.fresh ? setTimeout(() => waiter.refuse(busy()), maxWaitMs) : undefined;
      signal.addEventListener("abort", abort, { once: true });
      queue.add(waiter);
      this.#queues.add(caller);
      this.waiting += 1;
      this.#tickSoon();
    });
  }

  /** The newest request of the caller who has used most leaves its place to that of another. */
  #hasRoom(caller: Caller): boolean {
    const { maxWaiting, maxWaitingPerCaller } = this.#limits;
    if (caller.fresh.size >= maxWaitingPerCaller) return false;
    if (this.waiting < maxWaiting) return true;
    const now = performance.now();
    const most = this.#extreme(1);
    if (most === undefined || this.usedBy(most, now) <= this.usedBy(caller, now)) return false;
    const newest = [...most.fresh].at(-1);
    newest?.refuse(busy());
    return newest !== undefined;
  }
}

function busy(): ApiError {
  return new ApiError("unavailable", "The service is busy with other requests. Try again in a second.", {
    retryAfterSeconds: 1,
  });
}
