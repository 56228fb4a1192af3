import { expect, it } from "vitest";
import { formatBound, formatCount, formatPrice, formatRating } from "./format.ts";

it.each([
  [1299.5, "USD", "$1,299.50"],
  [0, "USD", "$0.00"],
  [19.9, "EUR", "€19.90"],
  [1500, "JPY", "¥1,500"],
  [1.5, "KWD", "KWD\u00a01.500"],
])("writes %d %s as %s", (amount, currency, text) => {
  expect(formatPrice(amount, currency)).toBe(text);
});

it("writes bounds without needless decimals", () => {
  expect([formatBound(150, "USD"), formatBound(12.5, "USD")]).toEqual(["$150", "$12.50"]);
});

it("writes ratings with few decimals, and groups digits of large counts", () => {
  expect([4, 4.5, 4.567].map(formatRating)).toEqual(["4", "4.5", "4.57"]);
  expect(formatCount(1270)).toBe("1,270");
});
