import { describe, expect, it } from "vitest";
import {
  missedGoals,
  missedSafetyGoals,
  percentile,
  type RehearsalFigures,
  unmeasuredGoals,
} from "./figures.ts";

const good: RehearsalFigures = {
  seconds: 15,
  seed: 1,
  searchNodes: 3,
  lost: 0,
  invented: 0,
  doubled: 0,
  unexpected5xx: 0,
  searchAvailability: 0.995,
  visibleP99Ms: 1500,
  takeoverSeconds: 7,
  limitOvershoot: 0.05,
  totalsDiffer: 0,
  readyWhileCutOff: 0,
  pendingDeliveries: 0,
  unhealthy: [],
  counts: {
    products: 1,
    imports: 1,
    failedImports: 0,
    webhooks: 1,
    deliveries: 1,
    searches: 1,
    visibilitySamples: 1,
  },
  faults: [{ atSeconds: 1, part: "node-1", action: "kill", seconds: 2, recoveredSeconds: 5 }],
  findings: [],
};

describe("goals", () => {
  it("are reached by figures at their limits", () => {
    expect(missedGoals(good)).toEqual([]);
    expect(missedGoals({ ...good, searchAvailability: 0.99, visibleP99Ms: 2000 })).toEqual([]);
  });

  it("are missed one by one", () => {
    expect(missedGoals({ ...good, lost: 1 })).toEqual(["lost is 1; the goal is at most 0"]);
    expect(missedGoals({ ...good, searchAvailability: 0.98 })).toEqual([
      "searchAvailability is 0.98; the goal is at least 0.99",
    ]);
    const [fault] = good.faults;
    const faults = fault ? [{ ...fault, recoveredSeconds: null }] : [];
    expect(missedGoals({ ...good, faults })).toEqual(["node-1 did not recover after kill"]);
  });

  it("of safety hold at any speed", () => {
    const slow = {
      ...good,
      searchAvailability: 0,
      visibleP99Ms: 30_000,
      limitOvershoot: 1,
      takeoverSeconds: 11,
    };
    expect(missedGoals(slow)).toHaveLength(4);
    expect(missedSafetyGoals(slow)).toEqual([]);
    expect(missedSafetyGoals({ ...slow, doubled: 1 })).toEqual(["doubled is 1; the goal is at most 0"]);
  });

  it("are missed while a part is not healthy, at any speed", () => {
    const unhealthy = ["opensearch-1: 3 of 3 nodes, yellow"];
    const missed = ["not healthy at the end: opensearch-1: 3 of 3 nodes, yellow"];
    expect(missedGoals({ ...good, unhealthy })).toEqual(missed);
    expect(missedSafetyGoals({ ...good, lost: null, unhealthy })).toEqual([
      "lost was not measured",
      ...missed,
    ]);
    expect(unmeasuredGoals({ ...good, lost: null, unhealthy })).toEqual(["lost"]);
  });

  it("are missed when faults are too seldom", () => {
    expect(missedGoals({ ...good, seconds: 30 })).toEqual([
      "faults: 1; the goal is at least 2",
      "29 s without a new fault; the goal is at most 15",
    ]);
  });

  it("are missed when there was nothing to verify", () => {
    const counts = { ...good.counts, imports: 0, searches: 0 };
    expect(missedSafetyGoals({ ...good, counts })).toEqual([
      "there were no imports",
      "there were no searches",
    ]);
  });

  it("of time without a figure are neither reached nor missed", () => {
    expect(missedGoals({ ...good, takeoverSeconds: null })).toEqual([]);
    expect(unmeasuredGoals({ ...good, takeoverSeconds: null })).toEqual(["takeoverSeconds"]);
  });
});

it("takes the percentile of a few values from above", () => {
  expect(percentile([], 0.99)).toBeNull();
  expect(percentile([3, 1, 2], 0.99)).toBe(3);
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
});
