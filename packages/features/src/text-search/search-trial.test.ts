import { createNaiveCatalog, listed, storedProduct } from "@product-search/testing/naive-catalog.ts";
import { describe, expect, test } from "vitest";
import { searchTrial, type TrialQuery } from "./search-trial.ts";

const never = new AbortController().signal;
const presentation = { publicUrl: "https://shop.example", currency: "USD" };
const prices = [500, 900, 100, 700, 300, 1100, 1300];
const mugs = prices.map((priceMinor, at) =>
  storedProduct(at + 1, {
    name: `Mug ${at + 1}`,
    priceMinor,
    averageRating: at / 2,
    discountVal: 60 - 10 * at,
  }),
);
const deps = {
  ...createNaiveCatalog([...mugs, listed("marketplace-a", 99, { name: "Mug elsewhere", priceMinor: 1 })]),
  ...presentation,
};
const pricesOf = async (query: Omit<TrialQuery, "q">) =>
  (await searchTrial(deps, { q: "mug", ...query }, never)).map(({ price }) => price);

describe("searchTrial", () => {
  test("returns the five best products of the catalog with their price history", async () => {
    const products = await searchTrial(deps, { q: "mug" }, never);
    expect(products.map(({ _id }) => _id)).toEqual(["id-1", "id-2", "id-3", "id-4", "id-5"]);
    expect(products[0]).toMatchObject({ price: 5, priceHistory: [{ _id: "price-1", price: 5 }] });
  });

  test("sorts all matches, cheapest first by default", async () => {
    expect(await pricesOf({ sort: "price" })).toEqual([1, 3, 5, 7, 9]);
    expect(await pricesOf({ sort: "price:relevance" })).toEqual([1, 3, 5, 7, 9]);
    expect(await pricesOf({ sort: "price", order: "desc" })).toEqual([13, 11, 9, 7, 5]);
  });

  test("sorts best first by default for every other sort", async () => {
    expect(await pricesOf({ sort: "rating" })).toEqual([13, 11, 3, 7, 1]);
    expect(await pricesOf({ sort: "rating", order: "asc" })).toEqual([5, 9, 1, 7, 3]);
    expect(await pricesOf({ sort: "discount" })).toEqual([5, 9, 1, 7, 3]);
  });

  test("applies the price range, bounds included", async () => {
    expect(await pricesOf({ priceRange: "[3,9]", sort: "price" })).toEqual([3, 5, 7, 9]);
  });
});
