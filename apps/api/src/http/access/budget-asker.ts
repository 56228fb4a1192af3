import type { BudgetRequest, BudgetSlice, RateBudget } from "../../ports/rate-budget.ts";

/** Requests wait for it: soon after, this node decides alone. */
const timeoutMs = 250;
/** So long after a failure nobody waits for the budget. */
const pauseAfterErrorMs = 1000;

export interface BudgetAsker {
  /** Undefined when the budget cannot be asked at the moment. */
  ask(request: BudgetRequest): Promise<BudgetSlice | undefined>;
}

interface Waiting {
  request: BudgetRequest;
  slice: Promise<BudgetSlice | undefined>;
  resolve(slice: BudgetSlice | undefined): void;
}

/** Asks in one statement for all keys that need it, one statement at a time: while one is under way, the next are gathered. */
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
      // Each slice is for one who asks.
      if (known !== undefined) return known.slice.then(() => this.ask(request));
      const { promise: slice, resolve } = Promise.withResolvers<BudgetSlice | undefined>();
      gathered.set(name, { request, slice, resolve });
      if (!isAsking) void run();
      return slice;
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
