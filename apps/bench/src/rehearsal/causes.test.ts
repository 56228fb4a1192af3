import { expect, it } from "vitest";
import { describeCauses } from "./rehearse.ts";

const faults = [
  { atSeconds: 10, part: "node-1", action: "kill", seconds: 2, recoveredSeconds: 5 },
  { atSeconds: 14, part: "opensearch-2", action: "pause", seconds: 8, recoveredSeconds: null },
] as const;

it("names the faults that something fell in, and counts each sort once", () => {
  const missed = [
    { what: "a", fromMs: 12_000, toMs: 13_000 },
    { what: "b", fromMs: 14_500, toMs: 16_000 },
    { what: "c", fromMs: 23_000, toMs: 24_000 },
  ];
  expect(describeCauses("late", missed, faults)).toEqual([
    "late, 3 in all: 2 in kill node, 1 in pause opensearch, 1 in no fault",
    "late: a at 12 s, during kill node-1 at 10 s",
    "late: b at 14.5 s, during kill node-1 at 10 s, pause opensearch-2 at 14 s",
    "late: c at 23 s, during no fault",
  ]);
});

it("says nothing when nothing missed a goal", () => {
  expect(describeCauses("late", [], faults)).toEqual([]);
});
