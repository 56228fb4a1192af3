import { expect, it } from "vitest";
import { plot } from "./plot.ts";

function placesIn(svg: string): Array<[x: number, y: number]> {
  return [...svg.matchAll(/<circle cx="(\d+)" cy="(\d+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

it("places equal factors at equal distances, greater values higher", () => {
  const [first, second, third] = placesIn(
    plot("products", [100, 1000, 10_000], new Map([["ms", [1, 10, 100]]])),
  );
  const distance = (axis: 0 | 1) =>
    Math.abs(2 * (second?.[axis] ?? 0) - (first?.[axis] ?? 0) - (third?.[axis] ?? 0));
  expect(distance(0)).toBeLessThanOrEqual(2);
  expect(distance(1)).toBeLessThanOrEqual(2);
  expect(third?.[1]).toBeLessThan(first?.[1] ?? 0);
});

it("draws one size, equal values and a value of 0", () => {
  const svg =
    plot("products", [100], new Map([["ms", [1]]])) + plot("products", [1, 2], new Map([["s", [0, 0]]]));
  expect(placesIn(svg)).toHaveLength(3);
  expect(svg).not.toMatch(/NaN|Infinity/);
});
