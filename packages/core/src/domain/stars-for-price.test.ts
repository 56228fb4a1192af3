import { expect, it } from "vitest";
import { beats, starsForPrice } from "./stars-for-price.ts";

it("prefers a clearly better rating to a slightly lower price, and the lower price among equal ratings", () => {
  const [cheap, good, dear] = [
    { rating: 4.5, priceMinor: 2595 },
    { rating: 4.9, priceMinor: 2649 },
    { rating: 4.9, priceMinor: 8195 },
  ];
  expect([cheap, dear, good].toSorted((a, b) => starsForPrice(b) - starsForPrice(a))).toEqual([
    good,
    dear,
    cheap,
  ]);
});

it.each([
  [{ rating: 5, priceMinor: 100 }, { rating: 5, priceMinor: 200 }, true],
  [{ rating: 5, priceMinor: 200 }, { rating: 5, priceMinor: 200 }, false],
  [{ rating: 4, priceMinor: 100 }, { rating: 5, priceMinor: 200 }, false],
  [{ priceMinor: 100 }, { priceMinor: 200 }, true],
])("%o beats %o: %s", (one, other, expected) => {
  expect(beats(one, other)).toBe(expected);
});
