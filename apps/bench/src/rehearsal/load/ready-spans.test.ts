import { describe, expect, it } from "vitest";
import { createReadySpans, waitWhileReady } from "./ready-spans.ts";

describe("ready spans", () => {
  it("begin with the first response and end with the last one before a check fails", () => {
    const readiness = createReadySpans();
    expect(readiness.isReady()).toBe(false);
    for (const atMs of [10, 20, 30]) readiness.note(true, atMs);
    expect(readiness.isReady()).toBe(true);
    for (const atMs of [50, 60]) readiness.note(false, atMs);
    expect(readiness.isReady()).toBe(false);
    readiness.note(true, 70);
    expect(readiness.spans).toEqual([
      { fromMs: 10, untilMs: 30 },
      { fromMs: 70, untilMs: Number.POSITIVE_INFINITY },
    ]);
  });
});

describe("the wait of a ready node", () => {
  const goalMs = 2000;
  const open = Number.POSITIVE_INFINITY;

  it("begins with the change when the node was ready all the time", () => {
    expect(waitWhileReady([{ fromMs: 0, untilMs: open }], 500, 900, goalMs)).toEqual({
      fromMs: 500,
      toMs: 900,
    });
  });

  it("does not include the time in which the node was paused", () => {
    const paused = [
      { fromMs: 0, untilMs: 1000 },
      { fromMs: 5000, untilMs: open },
    ];
    expect(waitWhileReady(paused, 900, 5300, goalMs)).toEqual({ fromMs: 5000, toMs: 5300 });
  });

  it("is not known when the node found the change before it was ready again", () => {
    const paused = [
      { fromMs: 0, untilMs: 1000 },
      { fromMs: 5000, untilMs: open },
    ];
    expect(waitWhileReady(paused, 900, 4900, goalMs)).toBeUndefined();
    expect(waitWhileReady([], 900, 4900, goalMs)).toBeUndefined();
  });

  it("counts when the node was ready for longer than the goal before it failed", () => {
    const failed = [
      { fromMs: 0, untilMs: 4000 },
      { fromMs: 9000, untilMs: open },
    ];
    expect(waitWhileReady(failed, 1000, 9100, goalMs)).toEqual({ fromMs: 1000, toMs: 4000 });
    expect(waitWhileReady(failed, 1000, 8000, goalMs)).toEqual({ fromMs: 1000, toMs: 4000 });
  });
});
