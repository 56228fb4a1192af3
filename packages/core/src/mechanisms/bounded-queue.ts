export interface BoundedQueueSettings {
  /** Maximum number of running calls; further ones wait. */
  concurrency: number;
  /** Maximum number of waiting calls; further ones are refused. */
  maxWaiting: number;
  /** The error of a call that is refused. */
  refusal(): Error;
}

/** Runs so many calls at once, in the order in which they came. */
export interface BoundedQueue {
  /** A call whose signal aborts while it waits is never run. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export function createBoundedQueue({ concurrency, maxWaiting, refusal }: BoundedQueueSettings): BoundedQueue {
  const waiting = new Set<() => void>();
  let running = 0;

  /** Resolves when the call may run; rejects if the caller stops waiting first. */
  function waitForTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(start);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.add(start);
    });
  }

  return {
    async run(work, signal) {
      signal.throwIfAborted();
      if (running >= concurrency) {
        if (waiting.size >= maxWaiting) throw refusal();
        await waitForTurn(signal);
      } else {
        running += 1;
      }
      try {
        return await work();
      } finally {
        // The place goes to the next waiting call, or becomes free.
        const [next] = waiting;
        if (next) {
          waiting.delete(next);
          next();
        } else {
          running -= 1;
        }
      }
    },
  };
}
