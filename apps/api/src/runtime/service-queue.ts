import { ApiError } from "@product-search/core/errors.ts";

export interface ServiceLimits {
  /** Maximum number of running calls; further ones wait. */
  concurrency: number;
  /** Maximum number of waiting calls; further ones are refused as `unavailable`. */
  maxWaiting: number;
}

export type ServiceHandler = (input: unknown, signal: AbortSignal) => Promise<unknown>;

/** Runs a service's calls within its limits. A call whose signal aborts while it waits is never run. */
export function createServiceQueue(
  handler: ServiceHandler,
  { concurrency, maxWaiting }: ServiceLimits,
): ServiceHandler {
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

  return async (input, signal) => {
    signal.throwIfAborted();
    if (running >= concurrency) {
      if (waiting.size >= maxWaiting) throw overloaded();
      await waitForTurn(signal);
    } else {
      running += 1;
    }
    try {
      return await handler(input, signal);
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
  };
}

export function overloaded(cause?: unknown): ApiError {
  return new ApiError("unavailable", "The service is overloaded. Try again shortly.", {
    retryAfterSeconds: 1,
    cause,
  });
}
