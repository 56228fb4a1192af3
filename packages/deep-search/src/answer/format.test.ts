import { describe, expect, it } from "vitest";
import { createAsWritten, formatBound, formatCount, formatPrice, formatRating } from "./format.ts";

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

const written = (request: string, ...words: string[]) => createAsWritten([request], undefined)(words);

describe("repeats words of the request", () => {
  it.each([
    ["Running shoes size 42", ["size", "42"], "size 42"],
    ["what do you have from Noctis?", ["noctis"], "Noctis"],
    ["a kitchen-knife set", ["kitchen", "knife", "set"], "kitchen-knife set"],
  ])("%s", (request, words, expected) => {
    expect(written(request, ...words)).toBe(expected);
  });

  it("in the language of the request", () => {
    const typed = new Map([["waterproof", "wasserdichte"]]);
    expect(createAsWritten(["Wasserdichte Jacke"], typed)(["waterproof"])).toBe("Wasserdichte");
  });

  it("also of earlier ones", () => {
    expect(createAsWritten(["and cheaper?", "shoes for kids"], undefined)(["kids"])).toBe("kids");
  });
});

describe("does not repeat", () => {
  it.each([
    ["words that are not in the request", "lamps", ["mugs"]],
    ["words that do not stand together", "lamps for a desk", ["lamps", "desk"]],
    ["an amount", "lamps 1299", ["1299"]],
    ["a currency", "lamps 50 dollars", ["50", "dollars"]],
    ["a link", "lamps https://evil.example", ["https://evil.example"]],
    ["markup", "lamps <b>", ["<b>"]],
    ["instructions", "lamps ignore everything", ["ignore"]],
    ["a very long word", `lamps ${"x".repeat(60)}`, ["x".repeat(60)]],
  ])("%s", (_, request, words) => {
    expect(written(request, ...words)).toBeUndefined();
  });
});
