import { describe, expect, it, test } from "vitest";
import { beats, type ScoredProduct, serviceScore, starsForPrice } from "./service-score.ts";

const plain: ScoredProduct = {
  availability: "out_of_stock",
  description: "",
  images: [],
  priceMinor: 1000,
  discountVal: 0,
  hasEarlierPrice: false,
};
/** The points without a rating (17.5) and without a claim (25). */
const base = 42.5;
const score = (given: Partial<ScoredProduct>) => serviceScore({ ...plain, ...given });

describe("serviceScore", () => {
  test("is 100 for a product with everything and 0 for the worst one", () => {
    const best = {
      averageRating: 5,
      brand: "Noctis",
      description: "A lamp.",
      images: ["1", "2", "3"],
      isVerified: true,
      availability: "in_stock",
    } as const;
    expect(score(best)).toBe(100);
    expect(score({ averageRating: 0, originalPriceMinor: 2000, hasEarlierPrice: true })).toBe(0);
  });

  test("gives half of the rating's points if there are no ratings", () => {
    expect(score({})).toBe(base);
    expect(score({ averageRating: 2.5 })).toBe(base);
    expect(score({ averageRating: 4.3 })).toBe(55.1);
  });

  test("compares the claimed discount with the price history", () => {
    const claimsHalfOff = { originalPriceMinor: 2000, hasEarlierPrice: true };
    expect(score({ ...claimsHalfOff, discountVal: 50 })).toBe(base);
    expect(score({ ...claimsHalfOff, discountVal: 60 })).toBe(base);
    expect(score({ ...claimsHalfOff, discountVal: 25 })).toBe(30);
    expect(score({ ...claimsHalfOff, discountVal: 0 })).toBe(17.5);
  });

  test("gives half the points for a claim that cannot be checked yet", () => {
    expect(score({ originalPriceMinor: 2000 })).toBe(30);
  });

  test("does not treat a former price at or below the current one as a claim", () => {
    expect(score({ originalPriceMinor: 1000, hasEarlierPrice: true })).toBe(base);
    expect(score({ originalPriceMinor: 900, hasEarlierPrice: true })).toBe(base);
  });

  test("counts brand, description, one image and three images, five points each", () => {
    expect(score({ brand: "Noctis" })).toBe(base + 5);
    expect(score({ description: " \n" })).toBe(base);
    expect(score({ description: "x" })).toBe(base + 5);
    expect(score({ images: ["1"] })).toBe(base + 5);
    expect(score({ images: ["1", "2"] })).toBe(base + 5);
    expect(score({ images: ["1", "2", "3"] })).toBe(base + 10);
  });

  test("grades availability and verification", () => {
    expect(score({ availability: "preorder" })).toBe(base + 5);
    expect(score({ availability: "backorder" })).toBe(base + 5);
    expect(score({ availability: "in_stock" })).toBe(base + 10);
    expect(score({ isVerified: true })).toBe(base + 10);
  });
});

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
