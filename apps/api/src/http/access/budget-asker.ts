import type { BudgetRequest, BudgetSlice, RateBudget } from "@product-search/core/ports/rate-budget.ts";

/** Requests wait for it, once in an outage. After this time, this node decides alone. */
const timeoutMs = 1000;
/** For this time after a failure, no request waits for the budget. */
const pauseAfterErrorMs = 1000;

export interface BudgetAsker {
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
export function createBudgetAsker(budget: RateBudget, onError: (error: unknown) => void): BudgetAsker {
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
