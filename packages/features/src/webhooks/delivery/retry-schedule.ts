const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The pauses between ten attempts: about 75 hours in total. */
export const retryDelaysMs: readonly number[] = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** Jitter, so that targets that failed together are not retried together. */
const jitter = 0.1;

/** The maximum pause that `Retry-After` can request. */
export const maxDelayMs = 26.4 * hourMs;

export interface FailedAttempt {
  /** Starts with 1. */
  attempt: number;
  nowMs: number;
  /** From `Retry-After`. */
  retryAfterMs?: number;
  /** From 0 to 1. */
  random: number;
}

/** The time of the next attempt; undefined after the last attempt. */
export function nextAttemptAt({
  attempt,
  nowMs,
  retryAfterMs = 0,
  random,
}: FailedAttempt): number | undefined {
  const delayMs = retryDelaysMs[attempt - 1];
  if (delayMs === undefined) return undefined;
  const planned = delayMs * (1 - jitter + 2 * jitter * random);
  return nowMs + Math.round(Math.min(Math.max(planned, retryAfterMs), maxDelayMs));
}

/** Seconds or an HTTP date (RFC 9110, section 10.2.3), at most `maxDelayMs`; undefined for anything else. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxDelayMs);
  // JavaScript reads "-5" and "1.5" as days of the year 2001.
  const atMs = /[a-z]{3}|T/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(0, atMs - nowMs), maxDelayMs);
}
