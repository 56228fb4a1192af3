import { backoffMs, pause } from "@product-search/core/mechanisms/retry.ts";
import { isDiskFull } from "@product-search/core/ports/imports.ts";
import type { Logger } from "pino";
import type { RunningPart } from "./role.ts";

const failureWindowMs = 60_000;
const maxPauseMs = 30_000;
/** A part that does not stop in this time ends its thread, and the supervisor starts a new one. */
const stopTimeoutMs = 10_000;

export interface PartRunnerSettings {
  /** Starts the part; `fail` is for a part that has started and cannot go on. */
  start(fail: (error: unknown) => void): Promise<RunningPart>;
  /** The part has been stopped: others must not wait for it. */
  onStopped(): void;
  /** The service can start without it: when the disk is full, it is started later. */
  canWait: boolean;
  logger: Logger;
}

/**
 * Runs a part of a thread, and starts it again when it fails: the other parts of the thread go on. Resolves when the part is
 * ready. Rejects if it cannot start the first time.
 */
export async function runPart({
  start,
  onStopped,
  canWait,
  logger,
}: PartRunnerSettings): Promise<RunningPart> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures: number[] = [];
  let running: RunningPart | undefined;
  let restarting: Promise<void> | undefined;

  const begin = async () => {
    const failed = Promise.withResolvers<unknown>();
    const part = await start(failed.resolve);
    running = part;
    void failed.promise.then((error) => {
      if (signal.aborted || running !== part) return;
      logger.error({ err: error }, "a part of a thread failed");
      running = undefined;
      restarting = stopFailed(part).then(beginAgain);
    });
  };

  const stopFailed = async (part: RunningPart) => {
    const late = setTimeout(() => {
      throw new Error("A part of the thread failed and did not stop.");
    }, stopTimeoutMs);
    await part.stop().catch((error: unknown) => logger.debug({ err: error }, "a failed part was stopped"));
    clearTimeout(late);
    onStopped();
  };

  const beginAgain = async () => {
    while (!signal.aborted) {
      const now = performance.now();
      failures = [...failures, now].filter((at) => at > now - failureWindowMs);
      await pause(backoffMs(failures.length, 100, maxPauseMs), signal);
      if (signal.aborted) return;
      logger.warn("starting the part again");
      try {
        return await begin();
      } catch (error) {
        onStopped();
        logger.error({ err: error }, "the part did not start");
      }
    }
  };

  try {
    await begin();
  } catch (error) {
    if (!canWait || !isDiskFull(error)) throw error;
    onStopped();
    logger.error({ err: error }, "the part did not start");
    restarting = beginAgain();
  }
  return {
    async stop() {
      stopping.abort();
      await restarting;
      await running?.stop();
    },
  };
}

/** Also those that have started meanwhile. */
export async function stopAll(parts: readonly RunningPart[]): Promise<void> {
  for (let stopped = 0; stopped < parts.length; ) {
    const ending = parts.slice(stopped);
    stopped = parts.length;
    await Promise.all(ending.map(({ stop }) => stop()));
  }
}
