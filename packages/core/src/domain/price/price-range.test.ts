import { describe, expect, test } from "vitest";
import { parsePriceRange } from "./price-range.ts";

describe("parsePriceRange", () => {
  test.each([
    ["[100,500]", "USD", 10_000, 50_000],
    ["100,500", "USD", 10_000, 50_000],
    ["[0,0]", "USD", 0, 0],
    ["[1.005,1.005]", "USD", 101, 100],
    ["[8.2,19.99]", "USD", 820, 1999],
    ["(8.2,19.99)", "USD", 821, 1998],
    ["(8.2,19.99]", "USD", 821, 1999],
    ["[8.205,19.995)", "USD", 821, 1999],
    ["[100,500]", "JPY", 100, 500],
    ["[0.5,999999999999.9999]", "KWD", 500, 999_999_999_999_999],
  ])("%s in %s is %i to %i minor units", (text, currency, minPriceMinor, maxPriceMinor) => {
    expect(parsePriceRange(text, currency)).toEqual({ minPriceMinor, maxPriceMinor });
  });

  test.each(["[500,100]", "[1.01,1]"])("refuses %s, whose minimum is above its maximum", (text) => {
    expect(() => parsePriceRange(text, "USD")).toThrow(/^priceRange: the least price .* is above/);
  });

  test.each([
    "",
    "[]",
    "[1]",
    "[1,2",
    "1,2]",
    "(1,2",
    "[1,2,3]",
    "[-1,2]",
    "[1e3,2e3]",
    "[NaN,2]",
    "[ 1,2]",
    "[1,2]\n",
  ])("refuses %j, which is no range", (text) => {
    expect(() => parsePriceRange(text, "USD")).toThrow(/^priceRange: is not a range/);
  });
});
