import { setTimeout } from "node:timers/promises";

const usualRetryMs = 200;

/** Retries until it succeeds. Of consecutive failures, only the first is reported. */
export async function untilDone<Result>(
  work: () => Promise<Result>,
  onError: (error: unknown) => void,
  signal: AbortSignal,
  retryMs = usualRetryMs,
): Promise<Result | undefined> {
  for (let hasFailed = false; !signal.aborted; hasFailed = true) {
    try {
      return await work();
    } catch (error) {
      if (!hasFailed) onError(error);
    }
    await setTimeout(retryMs, undefined, { signal }).catch(() => {});
  }
  return undefined;
}
