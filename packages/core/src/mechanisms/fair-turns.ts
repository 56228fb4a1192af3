import { setImmediate as nextLoop } from "node:timers/promises";
import { ApiError } from "../errors.ts";

/** A turn at work that occupies the thread. */
export interface Turn {
  /**
   * Does a part of the work. If the turn has occupied the thread for a while, other requests are handled first. Fails if the
   * client has left.
   */
  step<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Waits for something that needs no processor time, while others have their turn. */
  away<Result>(wait: () => Promise<Result>): Promise<Result>;
  end(): void;
}

/** Expensive work of one thread, one at a time. The others wait, and keys (tokens) are served in turn. */
export interface FairTurns {
  /** Waits for a turn. Fails with `unavailable` if that takes too long or too many wait, and if the client leaves. */
  take(key: string, signal: AbortSignal): Promise<Turn>;
  /** The number of requests that wait. */
  readonly waiting: number;
  /** The number of keys whose requests wait. */
  readonly keys: number;
}

export interface FairTurnsLimits {
  /** The longest wait. */
  maxWaitMs: number;
  maxWaiting: number;
  maxWaitingPerKey: number;
  /** The work of a turn pauses when it has occupied the thread for so long: much less than 5 ms, because one more step follows. */
  sliceMs: number;
}

export const fairTurnsLimits: FairTurnsLimits = {
  maxWaitMs: 1000,
  maxWaiting: 256,
  maxWaitingPerKey: 64,
  sliceMs: 1,
};

interface Waiter {
  key: string;
  start(): void;
}

export function createFairTurns(changes: Partial<FairTurnsLimits> = {}): FairTurns {
  const { maxWaitMs, maxWaiting, maxWaitingPerKey, sliceMs } = { ...fairTurnsLimits, ...changes };
  /** In the order in which the keys are served. A key without a waiter is not there. */
  const queues = new Map<string, Set<Waiter>>();
  /** Turns that were lent to others. They have waited already and come first. */
  const returning = new Set<() => void>();
  let isTaken = false;
  let waiting = 0;
  let sliceStartMs = 0;

  function next(): (() => void) | undefined {
    for (const back of returning) {
      returning.delete(back);
      return back;
    }
    for (const [key, queue] of queues) {
      // The key moves to the end, unless this was its last waiter.
      queues.delete(key);
      for (const waiter of queue) {
        queue.delete(waiter);
        waiting -= 1;
        if (queue.size > 0) queues.set(key, queue);
        return waiter.start;
      }
    }
    return undefined;
  }

  /** The next one starts in a new turn of the event loop, so that cheap requests come between, also if it comes later. */
  function passOn(): void {
    setImmediate(() => {
      sliceStartMs = performance.now();
      const start = next();
      if (start === undefined) isTaken = false;
      else start();
    });
  }

  function leave(waiter: Waiter): void {
    const queue = queues.get(waiter.key);
    if (queue?.delete(waiter) !== true) return;
    waiting -= 1;
    if (queue.size === 0) queues.delete(waiter.key);
  }

  function enqueue(key: string, signal: AbortSignal): Promise<void> {
    if (waiting >= maxWaiting || (queues.get(key)?.size ?? 0) >= maxWaitingPerKey)
      return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      };
      const waiter: Waiter = {
        key,
        start() {
          settle();
          resolve();
        },
      };
      const give = (reason: unknown): void => {
        settle();
        leave(waiter);
        reject(reason);
      };
      const abort = (): void => give(signal.reason);
      const timer = setTimeout(() => give(busy()), maxWaitMs);
      signal.addEventListener("abort", abort, { once: true });
      const queue = queues.get(key) ?? new Set();
      queues.set(key, queue);
      queue.add(waiter);
      waiting += 1;
    });
  }

  function comeBack(): Promise<void> {
    if (!isTaken) {
      isTaken = true;
      sliceStartMs = performance.now();
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      returning.add(resolve);
    });
  }

  function createTurn(signal: AbortSignal): Turn {
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      passOn();
    };
    return {
      end: release,
      async step(work) {
        signal.throwIfAborted();
        // Steps may be asked for at once: the first of them begins a new slice, and the others wait again if it was long.
        while (performance.now() - sliceStartMs >= sliceMs) {
          const formerStartMs = sliceStartMs;
          await nextLoop();
          signal.throwIfAborted();
          if (sliceStartMs === formerStartMs) sliceStartMs = performance.now();
        }
        return work();
      },
      async away(wait) {
        release();
        try {
          return await wait();
        } finally {
          signal.throwIfAborted();
          await comeBack();
          isHeld = true;
        }
      },
    };
  }

  return {
    async take(key, signal) {
      signal.throwIfAborted();
      if (isTaken) await enqueue(key, signal);
      else {
        isTaken = true;
        sliceStartMs = performance.now();
      }
      return createTurn(signal);
    },
    get waiting() {
      return waiting;
    },
    get keys() {
      return queues.size;
    },
  };
}

function busy(): ApiError {
  return new ApiError("unavailable", "The service is busy with other searches. Try again in a second.", {
    retryAfterSeconds: 1,
  });
}
