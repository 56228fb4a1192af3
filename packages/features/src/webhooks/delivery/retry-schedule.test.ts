import { describe, expect, test } from "vitest";
import { maxDelayMs, nextAttemptAt, parseRetryAfter, retryDelaysMs } from "./retry-schedule.ts";

const hourMs = 3_600_000;

describe("nextAttemptAt", () => {
  test("plans ten attempts over about 75 hours", () => {
    const total = retryDelaysMs.reduce((sum, delay) => sum + delay, 0);
    expect(retryDelaysMs).toHaveLength(9);
    expect(total / hourMs).toBeCloseTo(75.6, 1);
    expect(nextAttemptAt({ attempt: 9, nowMs: 0, random: 0.5 })).toBe(24 * hourMs);
    expect(nextAttemptAt({ attempt: 10, nowMs: 0, random: 0.5 })).toBeUndefined();
  });

  test("adds a jitter of up to a tenth in both directions", () => {
    expect(nextAttemptAt({ attempt: 2, nowMs: 1000, random: 0 })).toBe(1000 + 270_000);
    expect(nextAttemptAt({ attempt: 2, nowMs: 1000, random: 1 })).toBe(1000 + 330_000);
  });

  test("waits as long as Retry-After, up to a day, and never less than planned", () => {
    const at = (retryAfterMs: number) => nextAttemptAt({ attempt: 1, nowMs: 0, random: 0.5, retryAfterMs });
    expect(at(0)).toBe(5000);
    expect(at(60_000)).toBe(60_000);
    expect(at(1000 * hourMs)).toBe(maxDelayMs);
  });

  test("plans no eleventh attempt, whatever Retry-After says", () => {
    expect(nextAttemptAt({ attempt: 10, nowMs: 0, random: 0.5, retryAfterMs: 5 })).toBeUndefined();
  });
});

describe("parseRetryAfter", () => {
  const nowMs = Date.parse("2026-05-01T12:00:00Z");
  test.each([
    ["0", 0],
    ["120", 120_000],
    ["Fri, 01 May 2026 12:01:00 GMT", 60_000],
    ["Fri, 01 May 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["-5x", undefined],
    [" 120 ", 120_000],
    ["1e3", undefined],
    ["1.5", undefined],
    ["-5", undefined],
    // More than a day counts as the longest pause, however it is written.
    ["999999999", maxDelayMs],
    ["1000000000", maxDelayMs],
    ["9999999999", maxDelayMs],
    ["99999999999999999999", maxDelayMs],
    ["9".repeat(400), maxDelayMs],
    ["Fri, 01 May 2099 12:00:00 GMT", maxDelayMs],
    ["", undefined],
    [undefined, undefined],
  ])("reads %j as %j ms", (value, expected) => {
    expect(parseRetryAfter(value, nowMs)).toBe(expected);
  });
});
