import type { SearchInsightsResponse } from "@product-search/client";
import { expect, it } from "vitest";
import { formerSearches, toCsv } from "./insights-csv.ts";

const totals = { searches: 9, noResults: 0, clicks: 0 };
const insight = (query: string, more: object = {}) => ({
  ...{ query, searches: 4, results: 2, clicks: 1, clickRate: 0.25 },
  ...more,
});
const before: SearchInsightsResponse = {
  status: "success",
  totals,
  searches: [insight("lamp", { searches: 3 })],
};

it("writes cells that no spreadsheet takes for a formula, and quotes what separates cells", () => {
  const clickedProducts = [{ _id: "p", name: 'Lamp, "Kvist"', slug: "lamp", clicks: 2 }];
  const csv = toCsv(
    [insight("lamp", { averagePosition: 1.5, clickedProducts }), insight("=HYPERLINK(1)"), insight("-5 m")],
    before,
  );
  expect(csv.split("\r\n").slice(1)).toEqual([
    'lamp,4,3,2,1,0.25,1.5,"Lamp, ""Kvist"" (2)"',
    "'=HYPERLINK(1),4,0,2,1,0.25,,",
    "'-5 m,4,0,2,1,0.25,,",
    "",
  ]);
});

it("does not know how often a text was searched for that a full list leaves out", () => {
  const full = { ...before, searches: Array.from({ length: 500 }, (_, index) => insight(`text ${index}`)) };
  expect(formerSearches("lamp", full)).toBeUndefined();
  expect(formerSearches("lamp", before)).toBe(3);
});
