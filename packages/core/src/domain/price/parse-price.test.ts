import { describe, expect, test } from "vitest";
import { parsePriceMinor } from "./parse-price.ts";

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
