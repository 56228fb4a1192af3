import { expect, test } from "vitest";
import { popularityOf } from "./refresh-popularity.ts";

const popularity = (clicks: number, carts = 0, purchases = 0) => popularityOf({ clicks, carts, purchases });

test("is 0 without events, and grows with each of the first ones", () => {
  const few = Array.from({ length: 12 }, (_, clicks) => popularity(clicks));
  expect(few[0]).toBe(0);
  expect(few).toEqual([...new Set(few)].toSorted((one, other) => one - other));
});

test("counts a purchase more than a cart, and a cart more than a click", () => {
  expect(popularity(0, 1)).toBeGreaterThan(popularity(2));
  expect(popularity(0, 0, 1)).toBeGreaterThan(popularity(0, 3));
});

test("changes little for a popular product, and stays below its bound", () => {
  expect(popularity(10_200)).toBe(popularity(10_000));
  expect(popularity(Number.MAX_SAFE_INTEGER)).toBeLessThanOrEqual(1000);
});
