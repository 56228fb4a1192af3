import { describe, expect, test } from "vitest";
import { type ScoredProduct, serviceScore } from "./service-score.ts";

const plain: ScoredProduct = {
  availability: "out_of_stock",
  description: "",
  images: [],
  priceMinor: 1000,
  discountVal: 0,
  hasEarlierPrice: false,
};
/** What no rating (17.5) and no claim (25) give. */
const base = 42.5;
const score = (given: Partial<ScoredProduct>) => serviceScore({ ...plain, ...given });

describe("serviceScore", () => {
  test("is 100 for a product that has everything and 0 for the worst", () => {
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

  test("gives half of the rating's points when nobody has rated", () => {
    expect(score({})).toBe(base);
    expect(score({ averageRating: 2.5 })).toBe(base);
    expect(score({ averageRating: 4.3 })).toBe(55.1);
  });

  test("weighs the claimed discount against the one in the price history", () => {
    const claimsHalfOff = { originalPriceMinor: 2000, hasEarlierPrice: true };
    expect(score({ ...claimsHalfOff, discountVal: 50 })).toBe(base);
    expect(score({ ...claimsHalfOff, discountVal: 60 })).toBe(base);
    expect(score({ ...claimsHalfOff, discountVal: 25 })).toBe(30);
    expect(score({ ...claimsHalfOff, discountVal: 0 })).toBe(17.5);
  });

  test("halves the points of a claim that nothing can confirm yet", () => {
    expect(score({ originalPriceMinor: 2000 })).toBe(30);
  });

  test("takes no former price at or below the present one for a claim", () => {
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
