import { ApiError } from "../errors.ts";
import { type Payer, presentPayer } from "./fair-queue.ts";

export interface FairSlotsLimits {
  /** So much work at the same time. */
  slots: number;
  maxWaiting: number;
  maxWaitingPerCaller: number;
}

interface Waiter {
  payer: Payer | undefined;
  start(): void;
}

/**
 * Work that another thread does for requests of this one. The waiting request whose caller has used least processor time
 * lately comes first. Fails with `unavailable` if too many wait, and if the client leaves.
 */
export function createFairSlots({
  slots,
  maxWaiting,
  maxWaitingPerCaller,
}: FairSlotsLimits): <Result>(work: () => Promise<Result>) => Promise<Result> {
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

  function wait(payer: Payer | undefined): Promise<void> {
    const own = [...waiters].filter((waiter) => waiter.payer?.caller === payer?.caller);
    if (waiters.size >= maxWaiting || own.length >= maxWaitingPerCaller) return Promise.reject(busy());
    const signal = payer?.leaving();
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

  return async (work) => {
    if (free > 0) free -= 1;
    else await wait(presentPayer());
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
