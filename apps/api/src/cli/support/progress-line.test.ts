import { expect, test } from "vitest";
import { duration, progressText } from "./progress-line.ts";

test("progress names the amount, the rate and the time left", () => {
  expect(progressText(12_400, 50_000, 2000)).toBe("12 400 of 50 000, 6 200/s, 7 s left");
  expect(progressText(12_400, undefined, 1000)).toBe("12 400, 12 400/s");
  expect(progressText(0, 10, 5000)).toBe("0 of 10");
  expect(progressText(300, 2900, 1)).toBe("300 of 2 900");
});

test("durations are in the unit that fits", () => {
  expect(duration(0)).toBe("0 s");
  expect(duration(89.2)).toBe("90 s");
  expect(duration(600)).toBe("10 min");
  expect(duration(7500)).toBe("2 h 5 min");
});
