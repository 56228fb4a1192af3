import { describe, expect, test } from "vitest";
import { discountPercent, priorPriceWindowMs } from "./discount.ts";

const nowMs = Date.UTC(2026, 5, 1);
const dayMs = 24 * 60 * 60 * 1000;
const daysAgo = (days: number, priceMinor: number) => ({ priceMinor, atMs: nowMs - days * dayMs });
const present = (priceMinor: number) => ({ priceMinor, atMs: nowMs });

describe("discountPercent", () => {
  test("is 0 without an earlier price", () => {
    expect(discountPercent(present(100), [])).toBe(0);
  });

  test("compares with the lowest price of the window, not with the last or the highest", () => {
    const earlier = [daysAgo(20, 1000), daysAgo(10, 800), daysAgo(5, 1200)];
    expect(discountPercent(present(600), earlier)).toBe(25);
  });

  test("is 0 for a price that was raised and then lowered to the old value", () => {
    expect(discountPercent(present(800), [daysAgo(20, 800), daysAgo(2, 1600)])).toBe(0);
  });

  test("counts the price that was in effect when the window began", () => {
    expect(discountPercent(present(500), [daysAgo(400, 1000)])).toBe(50);
    expect(discountPercent(present(500), [daysAgo(400, 600), daysAgo(29, 1000)])).toBe(16.7);
  });

  test("leaves out a price that ended exactly when the window began, keeps one that ended just after", () => {
    const ends = (atMs: number) => [daysAgo(60, 600), { priceMinor: 1000, atMs }];
    expect(discountPercent(present(500), ends(nowMs - priorPriceWindowMs))).toBe(50);
    expect(discountPercent(present(500), ends(nowMs - priorPriceWindowMs + 1))).toBe(16.7);
  });

  test("leaves out a price that was replaced at once", () => {
    expect(discountPercent(present(500), [daysAgo(3, 600), daysAgo(3, 1000)])).toBe(50);
  });

  test("is 0 if the price rose or did not change, 100 if it is free", () => {
    expect(discountPercent(present(1000), [daysAgo(3, 1000)])).toBe(0);
    expect(discountPercent(present(1001), [daysAgo(3, 1000)])).toBe(0);
    expect(discountPercent(present(0), [daysAgo(3, 1000)])).toBe(100);
    expect(discountPercent(present(0), [daysAgo(3, 0)])).toBe(0);
  });

  test("rounds halves up to one decimal", () => {
    expect(discountPercent(present(19_990), [daysAgo(3, 20_000)])).toBe(0.1);
    expect(discountPercent(present(19_991), [daysAgo(3, 20_000)])).toBe(0);
  });
});
