import { expect, test } from "vitest";
import { namesOtherCurrency } from "./phrases.ts";

test.each([
  ["shoes 80 Euro", "USD", true],
  ["shoes under €80", "USD", true],
  ["shoes under 80€", "USD", true],
  ["shoes under 80 EUR", "USD", true],
  ["shoes under £80", "EUR", true],
  ["shoes under $80", "USD", false],
  ["shoes under $80", "CAD", false],
  ["shoes under 80 dollars", "EUR", true],
  ["shoes under 80", "USD", false],
  ["a euro style lamp under 80", "USD", false],
  ["shoes 80 euros or 90 dollars", "USD", false],
])("%s where prices are in %s: %s", (text, currency, expected) => {
  expect(namesOtherCurrency(text, currency)).toBe(expected);
});
