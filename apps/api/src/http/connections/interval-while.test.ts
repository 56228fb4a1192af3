import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { intervalWhile } from "./interval-while.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("ticks from the start until it is no longer needed, and again", () => {
  let ticks = 0;
  let isNeeded = true;
  const interval = intervalWhile(100, () => {
    ticks += 1;
    return isNeeded;
  });
  vi.advanceTimersByTime(1000);
  expect([ticks, vi.getTimerCount()]).toEqual([0, 0]);

  interval.start();
  interval.start();
  vi.advanceTimersByTime(300);
  expect(ticks).toBe(3);

  isNeeded = false;
  vi.advanceTimersByTime(1000);
  expect([ticks, vi.getTimerCount()]).toEqual([4, 0]);

  interval.start();
  interval.stop();
  expect(vi.getTimerCount()).toBe(0);
});
