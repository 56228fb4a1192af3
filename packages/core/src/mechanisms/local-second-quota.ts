import type { Clock } from "../ports/clock.ts";
import type { SecondQuota } from "../ports/quotas.ts";

/** Requests sent a second apart may arrive closer together, so this is added to the distance. */
export const secondMs = 1050;

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
