import type { Clock } from "@product-search/core/ports/clock.ts";
import type { RateBudget } from "@product-search/core/ports/quotas.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

const startMs = Date.UTC(2026, 4, 1);

const request = (key: string, limit: number, spent = 0, window = 1) => ({
  key,
  window,
  endsAtMs: startMs + 60_000,
  limit,
  spent,
});

/** Tests for every rate budget. */
export function describeRateBudget(
  open: (clock: Clock) => Promise<{ budget: RateBudget; close(): Promise<void> }>,
): void {
  let budget: RateBudget;
  let close: () => Promise<void>;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = startMs;
    ({ budget, close } = await open({ now: () => nowMs }));
  });
  afterEach(() => close());

  test("distributes a budget once among many concurrent nodes, in slices that get smaller", async () => {
    for (const node of ["a", "b", "c"]) await budget.beat(node);
    let granted = 0;
    const sizes: number[] = [];
    const node = async () => {
      for (;;) {
        const [slice] = await budget.take([request("k", 3000)]);
        if (!slice || slice.granted === 0) return;
        granted += slice.granted;
        sizes.push(slice.granted);
      }
    };
    await Promise.all([node(), node(), node()]);
    expect(granted).toBe(3000);
    expect(Math.max(...sizes)).toBe(150);
    expect(sizes.at(-1)).toBe(1);
    expect(sizes.length).toBeLessThan(100);
  });

  test("counts admitted requests, even beyond the limit", async () => {
    expect(await budget.take([request("k", 100, 40)])).toEqual([{ granted: 5, left: 55 }]);
    expect(await budget.take([request("k", 100, 54)])).toEqual([{ granted: 1, left: 0 }]);
    expect(await budget.take([request("k", 100, 7)])).toEqual([{ granted: 0, left: 0 }]);
    expect(await budget.take([request("k", 100)])).toEqual([{ granted: 0, left: 0 }]);
  });

  test("separates keys and windows, and replies in the order of the requests", async () => {
    expect(await budget.take([request("b", 1), request("a", 60), request("b", 1, 0, 2)])).toEqual([
      { granted: 1, left: 0 },
      { granted: 3, left: 57 },
      { granted: 1, left: 0 },
    ]);
    expect(await budget.take([])).toEqual([]);
  });

  test("counts live nodes", async () => {
    expect(await budget.beat("a")).toBe(1);
    nowMs += 6000;
    expect(await budget.beat("b")).toBe(2);
    nowMs += 6000;
    expect(await budget.beat("b")).toBe(1);
  });
}
