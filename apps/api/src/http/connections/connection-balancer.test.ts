import { describe, expect, it } from "vitest";
import { createConnectionBalancer, createUtilizationMemory } from "./connection-balancer.ts";

const [one, other] = [{}, {}];

/** Two threads with these utilizations, after the first got requests over these connections. */
function twoThreads(busy: number, busyElsewhere: number, connections: readonly object[]) {
  const memory = createUtilizationMemory(2);
  const first = createConnectionBalancer(memory, 0, () => busy);
  createConnectionBalancer(memory, 1, () => busyElsewhere).compare();
  for (const connection of connections) expect(first.shouldMove(connection)).toBe(false);
  first.compare();
  return first;
}

describe("connections move to other threads", () => {
  it("one in each interval, from the thread that is clearly busier", () => {
    const thread = twoThreads(0.9, 0.3, [one, other]);
    expect([one, other, one].map((connection) => thread.shouldMove(connection))).toEqual([
      true,
      false,
      false,
    ]);
    thread.compare();
    expect(thread.shouldMove(one)).toBe(true);
  });

  it.each([
    ["the other is as busy", 0.9, 0.8, [one, other]],
    ["it is not busy enough to matter", 0.25, 0, [one, other]],
    ["it is the idle one", 0.3, 0.9, [one, other]],
    ["there is but one connection", 0.9, 0.3, [one, one]],
  ] as const)("but not when %s", (_, busy, busyElsewhere, connections) => {
    expect(twoThreads(busy, busyElsewhere, connections).shouldMove(one)).toBe(false);
  });

  it("none if there is no other thread", () => {
    const alone = createConnectionBalancer(createUtilizationMemory(1), 0, () => 1);
    alone.shouldMove(one);
    alone.shouldMove(other);
    alone.compare();
    expect(alone.shouldMove(one)).toBe(false);
  });
});
