import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ListPart, mergePages } from "./merge-pages.ts";

const part = (start: number, size: number, codes: readonly (number | undefined)[]): ListPart => ({
  start,
  size,
  items: codes.map((code) => ({ code: code === undefined ? undefined : String(code), notes: [] })),
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const codesOf = (parts: ListPart[], overlap = 2) => {
  const { items, isTorn } = mergePages(parts, overlap);
  return { codes: items.map(({ code }) => Number(code)), isTorn };
};

describe("mergePages", () => {
  test("joins overlapping parts with each product once", () => {
    const joined = codesOf([
      part(0, 10, range(0, 10)),
      part(8, 10, range(8, 18)),
      part(16, 10, range(16, 20)),
    ]);
    expect(joined).toEqual({ codes: range(0, 20), isTorn: false });
  });

  test("neither repeats nor loses a product when the list changes between two requests", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1, max: 7 }), (shift) => {
        // After the first part was read, `shift` products were added at the start of the list (or one was removed).
        const second = range(8 - shift, 18 - shift);
        const { codes, isTorn } = codesOf([part(0, 10, range(0, 10)), part(8, 10, second)]);
        expect(isTorn).toBe(false);
        expect(codes).toEqual(range(0, Math.max(10, 18 - shift)));
      }),
    );
  });

  test("ends before the gap if the list changed so much that products may be missing", () => {
    const joined = codesOf([part(0, 10, range(0, 10)), part(8, 10, range(12, 22))]);
    expect(joined).toEqual({ codes: range(0, 10), isTorn: true });
  });

  test("treats a shorter list as the end", () => {
    expect(codesOf([part(0, 10, range(0, 10)), part(8, 10, [])])).toEqual({
      codes: range(0, 10),
      isTorn: false,
    });
    expect(codesOf([part(0, 10, range(0, 5)), part(8, 10, range(30, 33))]).isTorn).toBe(false);
  });

  test("does not treat two products without a code as the same", () => {
    const { items } = mergePages([part(0, 3, [1, 2, undefined]), part(1, 3, [2, undefined, 4])], 2);
    expect(items.map(({ code }) => code)).toEqual(["1", "2", undefined, undefined, "4"]);
  });
});
