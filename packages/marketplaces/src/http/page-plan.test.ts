import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planWindows } from "./page-plan.ts";
import type { OffsetPagination, PagePagination } from "./profile/profile.ts";

const size = { limitParameter: "size" };
const styles = fc.record({
  maxLimit: fc.integer({ min: 10, max: 1000 }),
  style: fc.constantFrom("page", "offset", "aligned"),
  firstPage: fc.constantFrom<(0 | 1)[]>(0, 1),
});

function paginationOf({ maxLimit, style, firstPage }: { maxLimit: number; style: string; firstPage: 0 | 1 }) {
  return style === "page"
    ? ({ ...size, style: "page", pageParameter: "page", maxLimit, firstPage } satisfies PagePagination)
    : ({
        ...size,
        style: "offset",
        offsetParameter: "from",
        maxLimit,
        aligned: style === "aligned",
      } satisfies OffsetPagination);
}

/** The range that the parameters select, as the marketplace reads them. */
function rangeOf(parameters: Record<string, string>, firstPage: number): { start: number; end: number } {
  const limit = Number(parameters.size);
  const start =
    parameters.page === undefined ? Number(parameters.from) : (Number(parameters.page) - firstPage) * limit;
  return { start, end: start + limit };
}

describe("planWindows", () => {
  test("covers exactly the wanted range with overlapping requests within the limits of the marketplace", () => {
    fc.assert(
      fc.property(
        styles,
        fc.integer({ min: 1, max: 250 }),
        fc.integer({ min: 0, max: 9999 }),
        (style, limit, anyOffset) => {
          const offset = Math.min(anyOffset, 10_000 - limit);
          const windows = planWindows(paginationOf(style), offset, limit);
          expect(windows[0]?.start).toBeLessThanOrEqual(offset);
          const last = windows.at(-1);
          expect((last?.start ?? 0) + (last?.size ?? 0)).toBeGreaterThanOrEqual(offset + limit);
          for (const [at, window] of windows.entries()) {
            expect(rangeOf(window.parameters, style.firstPage)).toEqual({
              start: window.start,
              end: window.start + window.size,
            });
            expect(window.size).toBeLessThanOrEqual(style.maxLimit);
            if (style.style !== "offset") expect(window.start % window.size).toBe(0);
            const previous = windows[at - 1];
            if (previous) expect(window.start).toBeLessThanOrEqual(previous.start + previous.size);
            if (previous && style.maxLimit >= 50)
              expect(window.start).toBeLessThan(previous.start + previous.size);
          }
          if (style.maxLimit >= 50)
            expect(windows.length).toBeLessThanOrEqual(Math.ceil(limit / style.maxLimit) + 2);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("is one request if one is enough", () => {
    const page = paginationOf({ style: "page", maxLimit: 100, firstPage: 1 });
    expect(planWindows(page, 40, 20)).toEqual([
      { start: 40, size: 20, parameters: { page: "3", size: "20" } },
    ]);
  });
});
