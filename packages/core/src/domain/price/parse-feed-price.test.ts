import { describe, expect, test } from "vitest";
import { parseFeedPrice } from "./parse-feed-price.ts";

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
