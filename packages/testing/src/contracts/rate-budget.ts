import type { Clock } from "@product-search/core/ports/clock.ts";
import type { RateBudget } from "@product-search/core/ports/quotas.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

const startMs = Date.UTC(2026, 4, 1);

const report = (key: string, limit: number, used: number, asked = 0, window = 1) => ({
  ...{ key, window, limit, used, asked },
  endsAtMs: startMs + 60_000,
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

  test("admits a limit once among many concurrent nodes", async () => {
    let granted = 0;
    const node = async () => {
      for (;;) {
        const [reply] = await budget.report([report("k", 300, 0, 7)]);
        if (!reply || reply.granted === 0) return;
        granted += reply.granted;
      }
    };
    await Promise.all([node(), node(), node()]);
    expect(granted).toBe(300);
  });

  test("counts admitted requests, even beyond the limit", async () => {
    expect(await budget.report([report("k", 100, 40, 5)])).toEqual([{ granted: 5, used: 45 }]);
    expect(await budget.report([report("k", 100, 54, 5)])).toEqual([{ granted: 1, used: 100 }]);
    expect(await budget.report([report("k", 100, 7, 1)])).toEqual([{ granted: 0, used: 107 }]);
    expect(await budget.report([report("k", 100, -10, 1)])).toEqual([{ granted: 1, used: 98 }]);
  });

  test("separates keys and windows, and replies in the order of the reports", async () => {
    expect(await budget.report([report("b", 1, 0, 2), report("a", 60, 3), report("b", 1, 0, 1, 2)])).toEqual([
      { granted: 1, used: 1 },
      { granted: 0, used: 3 },
      { granted: 1, used: 1 },
    ]);
    expect(await budget.report([])).toEqual([]);
  });

  test("counts live nodes", async () => {
    expect(await budget.beat("a")).toBe(1);
    nowMs += 6000;
    expect(await budget.beat("b")).toBe(2);
    nowMs += 6000;
    expect(await budget.beat("b")).toBe(1);
  });
}
