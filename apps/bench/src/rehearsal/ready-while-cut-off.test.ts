import { expect, it } from "vitest";
import { readyWhileCutOff } from "./disturb.ts";
import type { Fault } from "./faults.ts";

const parts = [
  { name: "postgres", kind: "postgres" },
  { name: "opensearch-1", kind: "opensearch" },
  { name: "node-1", kind: "service" },
  { name: "node-2", kind: "service" },
] as const;
const cut: Fault = { atSeconds: 10, part: "node-1", action: "isolate", seconds: 10, recoveredSeconds: 11 };
const startedMs = 1_000_000;
const at = (seconds: number) => startedMs + seconds * 1000;

function check(fault: Fault, readyUntil: number, readyAgain: number) {
  const spans = [
    { fromMs: 0, untilMs: at(readyUntil) },
    { fromMs: at(readyAgain), untilMs: Number.POSITIVE_INFINITY },
  ];
  return readyWhileCutOff({ faults: [fault], parts, spansOf: () => spans, startedMs, endedMs: at(60) });
}

it("allows a node five seconds to report that it is not ready", () => {
  expect(check(cut, 14.9, 20.1)).toEqual([]);
  expect(check(cut, 15.1, 20.1)).toEqual(["node-1 was ready while node-1 was cut off at 10 s"]);
  expect(check(cut, 14.9, 19)).toHaveLength(1);
});

it("expects it of all nodes when PostgreSQL is cut off, and of none when OpenSearch is", () => {
  expect(check({ ...cut, part: "postgres" }, 60, 60)).toHaveLength(2);
  expect(check({ ...cut, part: "opensearch-1" }, 60, 60)).toBeUndefined();
});

it("does not judge short cuts and other faults", () => {
  expect(check({ ...cut, seconds: 4 }, 60, 60)).toBeUndefined();
  expect(check({ ...cut, action: "pause" }, 60, 60)).toBeUndefined();
});
