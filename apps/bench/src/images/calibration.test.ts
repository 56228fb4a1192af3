import { expect, it } from "vitest";
import { calibrationError, fitLogistic, reliability } from "./calibration.ts";

const forecasts = (count: number, confidence: number, right: number) =>
  Array.from({ length: count }, (_, at) => ({ confidence, right: at < right }));

it("compares the stated confidence with the share that was right", () => {
  const stated = [...forecasts(10, 0.95, 5), ...forecasts(30, 0.15, 3)];
  expect(reliability(stated).map(({ from, count, right }) => [from, count, right])).toEqual([
    [0.1, 30, 0.1],
    [0.9, 10, 0.5],
  ]);
  expect(calibrationError(stated)).toBeCloseTo((10 * 0.45 + 30 * 0.05) / 40);
  expect(calibrationError([])).toBe(0);
});

it("fits probabilities that agree with what happened", () => {
  const inputs = Array.from({ length: 100 }, (_, at) => [at < 50 ? 0 : 1]);
  const [constant = 0, weight = 0] = fitLogistic(
    inputs,
    inputs.map((_, at) => (at < 50 ? at < 10 : at < 90)),
  );
  expect(1 / (1 + Math.exp(-constant))).toBeCloseTo(0.2, 1);
  expect(1 / (1 + Math.exp(-constant - weight))).toBeCloseTo(0.8, 1);
});
