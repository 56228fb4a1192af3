import { setTimeout } from "node:timers/promises";

/** The pause after so many failures in a row, the first being 0: it doubles each time, up to a maximum. */
export function backoffMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** failures);
}

/**
 * Half of the pause is fixed and half is random: attempts that failed together do not come back together, and none
 * comes back at once.
 */
export function withJitter(pauseMs: number): number {
  return (pauseMs + Math.random() * pauseMs) / 2;
}

export interface RetrySettings {
  /** Including the first attempt. */
  maxAttempts: number;
  isWorthRetrying(error: unknown): boolean;
  /** The pause after so many failures, the first being 0. Default: none. */
  pauseMs?(failures: number): number;
}

/** Attempts the work until it succeeds, but not after the signal has aborted. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { maxAttempts, isWorthRetrying, pauseMs }: RetrySettings,
  signal?: AbortSignal,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (failures + 1 >= maxAttempts || signal?.aborted || !isWorthRetrying(error)) throw error;
    }
    if (pauseMs) await pause(pauseMs(failures), signal);
    signal?.throwIfAborted();
  }
}

/**
 * Attempts the work until it succeeds or the signal aborts; then there is no result. Of consecutive failures, only the
 * first is reported.
 */
export async function untilDone<Result>(
  work: () => Promise<Result>,
  onError: (error: unknown) => void,
  signal: AbortSignal,
  pauseMs = 200,
): Promise<Result | undefined> {
  for (let hasFailed = false; !signal.aborted; hasFailed = true) {
    try {
      return await work();
    } catch (error) {
      if (!hasFailed) onError(error);
    }
    await pause(pauseMs, signal);
  }
  return undefined;
}

/** Waits for the promise, but no longer than the signal allows, because not every callee reacts to an abort. */
export function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Ends early, without an error, when the signal aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal && { signal }).catch(() => {});
}
