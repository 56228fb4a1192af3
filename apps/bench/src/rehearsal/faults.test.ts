import { expect, it } from "vitest";
import { type PlannedFault, planFaults } from "./faults.ts";

const parts = [
  { name: "postgres", kind: "postgres" },
  { name: "opensearch-1", kind: "opensearch" },
  { name: "opensearch-2", kind: "opensearch" },
  { name: "node-1", kind: "service" },
  { name: "node-2", kind: "service" },
] as const;

function plan(seed: number, length: number): PlannedFault[] {
  const faults = planFaults(parts, seed);
  return Array.from({ length }, () => faults.next().value);
}

it("plans every action on every kind of part before it repeats one", () => {
  const seen = plan(1, 12).map(({ part, action }) => `${part.split("-")[0]} ${action}`);
  expect(new Set(seen).size).toBe(12);
});

it("plans the same for the same seed, and something else for another one", () => {
  expect(plan(1, 40)).toEqual(plan(1, 40));
  expect(plan(2, 40)).not.toEqual(plan(1, 40));
});

it("makes some faults as long as an outage, and most of them short", () => {
  const lengths = plan(3, 100).map(({ seconds }) => seconds);
  const long = lengths.filter((seconds) => seconds === 30);
  expect(long.length).toBeGreaterThan(5);
  expect(long.length).toBeLessThan(25);
  expect(lengths.every((seconds) => seconds === 30 || seconds <= 10)).toBe(true);
  expect(lengths.some((seconds, at) => seconds === 30 && lengths.slice(at + 1, at + 4).includes(30))).toBe(
    false,
  );
});

it("leaves at most 15 seconds from one fault to the next", () => {
  expect(Math.max(...plan(3, 100).map(({ gapSeconds }) => gapSeconds))).toBeLessThan(15);
});
