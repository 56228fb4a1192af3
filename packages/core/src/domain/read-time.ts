import { ApiError } from "../errors.ts";

/** A parameter in ISO 8601. A date without a time is the start of that day in UTC. */
export function readTime(parameter: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time) && isDay(text.slice(0, 10))) return time;
  throw new ApiError(
    "invalid_request",
    `${parameter}: ${text} is no time that exists. Send something like 2026-11-22 or 2026-11-22T12:00:00Z.`,
  );
}

/** Refuses a period that ends before it begins. Both times are as the client sent them. */
export function assertPeriod(from: { text: string; ms: number }, to: { text: string; ms: number }): void {
  if (from.ms <= to.ms) return;
  throw new ApiError(
    "invalid_request",
    `to: ${to.text} is before from, which is ${from.text}. Send the later time as to.`,
  );
}

/** JavaScript reads February 31 as March 3. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}
