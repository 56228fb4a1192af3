import { setTimeout as delay } from "node:timers/promises";
import { shareRunning } from "@product-search/core/mechanisms/share-in-flight.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { type DayQuota, type SecondQuota, secondMs } from "@product-search/core/ports/quotas.ts";
import { UpstreamError } from "./send-safely.ts";

export interface GateSettings {
  clock: Clock;
  dayQuota: DayQuota;
  /** Of this process alone by default. */
  secondQuota?: SecondQuota | undefined;
  perSecond?: number | undefined;
  perDay?: number | undefined;
}

/** Limits requests to the quota, and sends none while the marketplace's Retry-After lasts. */
export interface RequestGate {
  /** Resolves when the request may be sent. Fails at once if that would be after `latestMs`. */
  pass(latestMs: number, signal: AbortSignal): Promise<void>;
  /** Stops all requests for this long. */
  pause(seconds: number): void;
}

/** How much of the daily quota is taken at once: a crash loses at most that much. */
const blockShare = 200;
const maxBlock = 50;
const secondsPerHour = 3600;

export function createRequestGate({
  clock,
  dayQuota,
  secondQuota = createLocalSecondQuota(clock),
  perSecond,
  perDay,
}: GateSettings): RequestGate {
  let pausedUntilMs = 0;
  const day = perDay === undefined ? undefined : createBlocks(dayQuota, perDay);

  async function reserve(latestMs: number): Promise<number> {
    const now = clock.now();
    const minWaitMs = Math.max(0, pausedUntilMs - now);
    const maxWaitMs = latestMs - now;
    const waitMs =
      perSecond === undefined ? minWaitMs : await secondQuota.reserve(perSecond, minWaitMs, maxWaitMs);
    if (waitMs > maxWaitMs) throw refusal(waitMs, minWaitMs > 0);
    return now + waitMs;
  }

  return {
    async pass(latestMs, signal) {
      // Reserve a time first: a request that would be too late must not use up the daily quota.
      const atMs = await reserve(latestMs);
      await day?.take();
      const waitMs = atMs - clock.now();
      if (waitMs > 0) await delay(waitMs, undefined, { signal });
      signal.throwIfAborted();
    },
    pause(seconds) {
      pausedUntilMs = Math.max(pausedUntilMs, clock.now() + seconds * 1000);
    },
  };
}

function refusal(waitMs: number, paused: boolean): UpstreamError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const message = paused
    ? "limits the rate of requests. Try again later."
    : "has more searches waiting than its quota of requests a second allows. Try again shortly.";
  return new UpstreamError("quota", message, { retryAfterSeconds });
}

/** Takes the daily quota in blocks, so that not every request writes to the database. */
function createBlocks(dayQuota: DayQuota, perDay: number): { take(): Promise<void> } {
  const block = Math.max(1, Math.min(maxBlock, Math.floor(perDay / blockShare)));
  let left = 0;
  const refill = shareRunning(async () => {
    const got = await dayQuota.take(perDay, block);
    left += got;
    return got;
  });

  return {
    async take() {
      // A caller that waited for a block may find that other callers have used it up.
      while (left === 0) {
        if ((await refill()) === 0) {
          throw new UpstreamError("quota", "has no requests left in its daily quota. Try again later.", {
            retryAfterSeconds: secondsPerHour,
          });
        }
      }
      left--;
    },
  };
}

/** For one process. */
export function createLocalSecondQuota(clock: Clock): SecondQuota {
  /** When the last `perSecond` requests were sent or will be sent, in this order: none goes before one that waits. */
  const sent: number[] = [];
  return {
    async reserve(perSecond, minWaitMs, maxWaitMs) {
      const now = clock.now();
      const earliest = sent.length >= perSecond ? (sent.at(-perSecond) ?? 0) + secondMs : 0;
      const atMs = Math.max(now + minWaitMs, earliest, sent.at(-1) ?? 0);
      if (atMs - now > maxWaitMs) return atMs - now;
      sent.push(atMs);
      if (sent.length > perSecond) sent.shift();
      return atMs - now;
    },
  };
}
