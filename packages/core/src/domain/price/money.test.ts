import { describe, expect, test } from "vitest";
import {
  discountPercent,
  parseFeedPrice,
  parsePriceMinor,
  parsePriceRange,
  priorPriceWindowMs,
} from "./money.ts";

describe("parsePriceMinor", () => {
  test.each([
    [12.5, 1250],
    [0, 0],
    [1e-9, 0],
    ["12.50", 1250],
    ["$1,299.00", 129_900],
    ["1.299,00 €", 129_900],
    ["USD 1,299", 129_900],
    ["1 299,5", 129_950],
    ["1\u00a0299,50 kr", 129_950],
    ["1'299.00 CHF", 129_900],
    ["1.299.000", 129_900_000],
    ["12,5", 1250],
    ["$10.00 to $20.00", 1000],
    ["10.00 - 20.00", 1000],
    ["ab 9,99", 999],
    ["2 for 15.00", 200],
    ["1.005", 101],
  ])("%j is %i cents", (value, minor) => {
    expect(parsePriceMinor(value, "USD")).toBe(minor);
  });

  test.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    1e13,
    "",
    "free",
    "-5.00",
    "$-5.00",
    "-$5.00",
    "99999999999999",
    null,
    undefined,
    {},
    [],
    true,
  ])("%j is no price", (value) => {
    expect(parsePriceMinor(value, "USD")).toBeUndefined();
  });

  test("uses the minor unit of the currency", () => {
    expect(parsePriceMinor("1,299", "JPY")).toBe(1299);
    expect(parsePriceMinor("1.299", "KWD")).toBe(1299);
  });
});

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

describe("parseFeedPrice", () => {
  test.each([
    ["19.99 USD", "USD", 1999],
    ["USD 19.99", "USD", 1999],
    ["19.99USD", "USD", 1999],
    ["19.99", "USD", 1999],
    ["$19.99", "USD", 1999],
    ["usd 1,299.00", "USD", 129_900],
    ["19,99 EUR", "EUR", 1999],
    ["1.299,00 EUR", "EUR", 129_900],
    ["1.299.000,50 €", "EUR", 129_900_050],
    ["1 299,00 €", "EUR", 129_900],
    ["1\u202f299,00 €", "EUR", 129_900],
    ["1'299.50 CHF", "CHF", 129_950],
    ["1,299", "USD", 129_900],
    ["1,299,000", "USD", 129_900_000],
    ["15.00 USD", "USD", 1500],
    ["15", "USD", 1500],
    ["15.5", "USD", 1550],
    ["15.", "USD", 1500],
    [".5", "USD", 50],
    ["0", "USD", 0],
    ["19.9900", "USD", 1999],
    ["0.990", "USD", 99],
    ["1999 JPY", "JPY", 1999],
    ["1,999 JPY", "JPY", 1999],
    ["1.999 JPY", "JPY", 1999],
    ["1999.00 JPY", "JPY", 1999],
    ["1.234 KWD", "KWD", 1234],
    ["1,234.500 KWD", "KWD", 1_234_500],
    ["1.299,000", "USD", 129_900],
    ["₹1,299.00", "INR", 129_900],
  ])("reads %s in %s", (text, currency, minor) => {
    expect(parseFeedPrice(text, currency)).toEqual({ minor });
  });

  test("reads numbers and rounds floating-point errors", () => {
    expect(parseFeedPrice(19.99, "USD")).toEqual({ minor: 1999 });
    expect(parseFeedPrice(1.005, "USD")).toEqual({ minor: 101 });
    expect(parseFeedPrice(0.1 + 0.2, "USD")).toEqual({ minor: 30 });
  });

  test.each([
    [1e-7, "USD"],
    [0.004, "USD"],
    [0.4, "JPY"],
  ])("refuses %s %s, which would be stored as free", (price, currency) => {
    const fault = expect.stringContaining("less than the smallest amount");
    expect(parseFeedPrice(price, currency)).toEqual({ fault });
    expect(parseFeedPrice(0, currency)).toEqual({ minor: 0 });
  });

  test.each(["1.299", "19.999", "1,29,900", "12,34.5", "1.2.3", "1,2,3", "12 34", "19.991 USD"])(
    "refuses %s, which could mean several amounts or none",
    (text) => {
      expect(parseFeedPrice(text, "USD")).toHaveProperty("fault");
    },
  );

  test.each([
    "",
    "free",
    "USD",
    "USD 5 USD",
    "5 6 USD",
    "--5",
    "1e9",
    "0x10",
    "NaN",
    "5;drop",
    "٥",
    "9".repeat(60),
  ])("refuses %s, which is no price", (text) => {
    expect(parseFeedPrice(text, "USD")).toHaveProperty("fault");
  });

  test.each(["19.99 EUR", "€19.99", "£5", "5 CAD"])("refuses %s in a deployment of USD", (text) => {
    expect(parseFeedPrice(text, "USD")).toEqual({ fault: expect.stringContaining("USD") });
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e12, "-5.00 USD", "99999999999"])(
    "refuses %s",
    (value) => {
      expect(parseFeedPrice(value, "USD")).toHaveProperty("fault");
    },
  );
});
