import { ApiError } from "../errors.ts";
import { type Payer, presentPayer } from "./fair-queue.ts";

export interface FairSlotsLimits {
  /** So much work at the same time. */
  slots: number;
  maxWaiting: number;
  /** Default: as many as may wait. */
  maxWaitingPerCaller?: number;
  /** The error of work that would wait behind too many. Default: the service is busy with long searches. */
  refusal?(): Error;
}

interface Waiter {
  payer: Payer | undefined;
  start(): void;
}

/**
 * Work of which only so much is done at once. What waits for a caller who has used least processor time lately comes first, and
 * without callers what came first. Work that waits is never done once its signal aborts: by default, when the client leaves.
 */
export function createFairSlots({
  slots,
  maxWaiting,
  maxWaitingPerCaller = maxWaiting,
  refusal = busy,
}: FairSlotsLimits): <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result> {
  const waiters = new Set<Waiter>();
  let free = slots;

  function startNext(): void {
    let first: Waiter | undefined;
    for (const waiter of waiters) if (first === undefined || usedBy(waiter) < usedBy(first)) first = waiter;
    if (first === undefined) return;
    waiters.delete(first);
    free -= 1;
    first.start();
  }

  function wait(payer: Payer | undefined, given: AbortSignal | undefined): Promise<void> {
    const own = [...waiters].filter((waiter) => waiter.payer?.caller === payer?.caller);
    if (waiters.size >= maxWaiting || own.length >= maxWaitingPerCaller) return Promise.reject(refusal());
    const signal = given ?? payer?.leaving();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiters.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        payer,
        start() {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      waiters.add(waiter);
    });
  }

  return async (work, signal) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await wait(presentPayer(), signal);
    try {
      return await work();
    } finally {
      free += 1;
      startNext();
    }
  };
}

function usedBy({ payer }: Waiter): number {
  return payer?.usedMs ?? 0;
}

function busy(): ApiError {
  return new ApiError(
    "unavailable",
    "The service is busy with other long searches. Try again in a second, or send fewer words and filters.",
    { retryAfterSeconds: 1 },
  );
}
