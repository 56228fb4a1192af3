import { afterEach, expect, test, vi } from "vitest";
import { backoffMs, retry, untilDone, withJitter } from "./retry.ts";

afterEach(() => void vi.restoreAllMocks());

/** Fails so many times. */
function failing(times: number) {
  let attempts = 0;
  return {
    attempts: () => attempts,
    attempt: async () => {
      attempts += 1;
      if (attempts <= times) throw new Error(`attempt ${attempts}`);
      return attempts;
    },
  };
}
const always = () => true;

test("attempts the work until it succeeds, at most so many times", async () => {
  expect(await retry(failing(2).attempt, { maxAttempts: 3, isWorthRetrying: always })).toBe(3);
  const work = failing(5);
  await expect(retry(work.attempt, { maxAttempts: 3, isWorthRetrying: always })).rejects.toThrow("attempt 3");
  expect(work.attempts()).toBe(3);
});

test("does not retry what is not worth it", async () => {
  const work = failing(1);
  await expect(retry(work.attempt, { maxAttempts: 3, isWorthRetrying: () => false })).rejects.toThrow(
    "attempt 1",
  );
});

test("pauses after each failure, and ends with the reason when the signal aborts meanwhile", async () => {
  const pauses: number[] = [];
  const leaving = new AbortController();
  const pauseMs = (failures: number) => {
    pauses.push(failures);
    if (failures === 1) leaving.abort(new Error("left"));
    return failures === 1 ? 60_000 : 1;
  };
  const work = failing(9);
  const limits = { maxAttempts: 9, isWorthRetrying: always, pauseMs };
  await expect(retry(work.attempt, limits, leaving.signal)).rejects.toThrow("left");
  expect(pauses).toEqual([0, 1]);
  expect(work.attempts()).toBe(2);
});

test("doubles the pause up to a maximum, and draws half of it", () => {
  expect([0, 1, 2, 3, 5000].map((failures) => backoffMs(failures, 100, 500))).toEqual([
    100, 200, 400, 500, 500,
  ]);
  vi.spyOn(Math, "random").mockReturnValue(0);
  expect(withJitter(100)).toBe(50);
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  expect(withJitter(100)).toBe(75);
});

test("keeps the error of an attempt during which the signal aborts", async () => {
  const leaving = new AbortController();
  const attempt = async () => {
    leaving.abort(new Error("left"));
    throw new Error("attempt 1");
  };
  const limits = { maxAttempts: 2, isWorthRetrying: always };
  await expect(retry(attempt, limits, leaving.signal)).rejects.toThrow("attempt 1");
});

test("untilDone retries until the work succeeds, and reports the first of several failures", async () => {
  const errors: unknown[] = [];
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts < 3) throw new Error(`attempt ${attempts}`);
    return "done";
  };
  const { signal } = new AbortController();
  expect(await untilDone(work, (error) => errors.push(error), signal, 1)).toBe("done");
  expect(errors).toEqual([new Error("attempt 1")]);
});

test("untilDone ends without a result when the signal aborts", async () => {
  const ending = new AbortController();
  const work = async () => {
    ending.abort();
    throw new Error("not yet");
  };
  expect(await untilDone(work, () => {}, ending.signal, 1)).toBeUndefined();
});
