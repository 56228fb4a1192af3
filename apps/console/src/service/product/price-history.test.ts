import { describe, expect, it } from "vitest";
import {
  lowestBefore,
  priceAt,
  pricesSince,
  priceTicks,
  timeRanges,
  toPricePoints,
} from "./price-history.ts";

const history = (...entries: [date: string, price: number][]) =>
  toPricePoints(entries.map(([date, price]) => ({ date, price })));
const at = (date: string) => Date.parse(date);

describe("a price history", () => {
  const points = history(["2026-10-20", 15], ["2026-01-01", 20], ["2026-10-01", 10], ["2026-11-02", 12]);

  it("is sorted, and gives the price in effect at a time", () => {
    expect(points.map(({ price }) => price)).toEqual([20, 10, 15, 12]);
    expect(priceAt(points, at("2026-10-10"))?.price).toBe(10);
    expect(priceAt(points, at("2025-01-01"))?.price).toBe(20);
  });

  it("begins a time with the price that was in effect then", () => {
    expect(pricesSince(points, at("2026-10-10"))).toEqual([
      { atMs: at("2026-10-10"), price: 10 },
      { atMs: at("2026-10-20"), price: 15 },
      { atMs: at("2026-11-02"), price: 12 },
    ]);
    expect(pricesSince(points, at("2025-01-01"))).toEqual(points);
  });

  it("has a lowest price of the 30 days before the present one, also one that began earlier", () => {
    expect(lowestBefore(points)).toBe(10);
    expect(lowestBefore(history(["2026-01-01", 9], ["2026-02-01", 20], ["2026-06-01", 12]))).toBe(20);
    expect(lowestBefore(history(["2026-01-01", 9]))).toBeUndefined();
    expect(lowestBefore([])).toBeUndefined();
  });

  it.each([
    [
      [12, 19.5],
      [0, 10, 20],
    ],
    [[10], [0, 5, 10]],
    [[0], [0, 1]],
    [
      [99, 1420],
      [0, 500, 1000, 1500],
    ],
    [
      [0.9, 0.3],
      [0, 0.5, 1],
    ],
  ])("has round prices from zero at its axis: %j", (prices, ticks) => {
    expect(priceTicks(prices.map((price, index) => ({ price, atMs: index })))).toEqual(ticks);
  });

  it("offers the time ranges that are shorter than it", () => {
    const names = (days: number) => timeRanges(days * 86_400_000).map(([name]) => name);
    expect(names(2)).toEqual(["All"]);
    expect(names(91)).toEqual(["30 days", "90 days", "All"]);
  });
});
