import { describe, expect, it } from "vitest";
import { timeTicks } from "./days.ts";

const dayMs = 86_400_000;
const start = Date.parse("2026-03-02T09:00:00Z");

describe("the texts below a time axis", () => {
  it.each([0, 1000, 60_000, 3 * 3_600_000, 2 * dayMs, 10 * dayMs, 100 * dayMs, 200 * dayMs, 3000 * dayMs])(
    "never repeat, and the end has one: %j ms",
    (rangeMs) => {
      const texts = timeTicks(start, start + rangeMs).map(({ text }) => text);
      expect(new Set(texts).size).toBe(texts.length);
      expect(timeTicks(start, start + rangeMs).at(-1)?.share).toBe(1);
    },
  );

  it("are hours of a short time, days of a longer one and months of a long one", () => {
    const count = (days: number) => timeTicks(start, start + days * dayMs).length;
    expect([0.01, 2, 30, 400].map(count)).toEqual([4, 4, 4, 4]);
    expect(timeTicks(start, start + 2 * dayMs)[0]?.text).toContain(":");
    expect(timeTicks(start, start + 30 * dayMs)[0]?.text).not.toContain(":");
    expect(timeTicks(start, start + 400 * dayMs)[0]?.text).toContain("2026");
  });
});
