import { fakeMug, fakeMugs } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0" } });
  await service.stores.catalogStore.apply([
    ...fakeMugs("catalog", 8),
    fakeMug("catalog", 20, { name: "Umbrella", priceMinor: 999, averageRating: 4.5, gtin: "04006381333931" }),
    fakeMug("catalog", 22, { name: "Lamp without shade", priceMinor: 4200 }),
    fakeMug("marketplace-a", 21, { priceMinor: 1 }),
  ]);
  await service.indexed();
});
afterAll(() => service.close());

const search = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  service.app.inject({ url: "/api/v1/search/trial", query, headers });
const prices = async (query: Record<string, string>) =>
  (await search({ q: "mug", ...query })).json().Products.map(({ price }: { price: number }) => price);

describe("200", () => {
  it("returns five products of the catalog, whatever the Authorization header contains", async () => {
    const response = await search({ q: "mug" }, { authorization: "nonsense" });
    expectDocumented("searchTrial", 200, response);
    expect(response.json().Products).toHaveLength(5);
  });

  it("returns none if nothing matches", async () => {
    const response = await search({ q: "xyzzyx" });
    expectDocumented("searchTrial", 200, response);
    expect(response.json().Products).toEqual([]);
  });

  it.each(["relevance", "price", "price:relevance", "rating", "discount"])(
    "sorts by %s, either way",
    async (sort) => {
      for (const order of ["asc", "desc"]) {
        expectDocumented("searchTrial", 200, await search({ q: "mug", sort, order, priceRange: "[0,100]" }));
      }
    },
  );

  it.each(["[12,13.5]", "12,13.5"])("keeps to the price range %s", async (priceRange) => {
    expect(await prices({ sort: "price", priceRange })).toEqual([12, 13]);
  });

  it("leaves out unknown fields and returns known ones", async () => {
    const [product] = (await search({ q: "umbrella" })).json().Products;
    expect(product).toMatchObject({ averageRating: 4.5, price: 9.99, priceHistory: [{ price: 9.99 }] });
    const [mug] = (await search({ q: "mug" })).json().Products;
    expect(mug).not.toHaveProperty("averageRating");
  });
});

describe("200 for filters in words", () => {
  it.each<[string, Record<string, string>, number[]]>([
    ["a price", { q: "mug under $13" }, [11, 12, 13]],
    ["a price in another currency", { q: "mug unter 13 Euro" }, [11, 12, 13]],
    ["what must not be", { q: "not a mug" }, [9.99, 42]],
    ["what the product says of itself too", { q: "lamp without shade" }, []],
    ["nothing in quotation marks", { q: '"lamp without shade"' }, [42]],
    ["nothing in a literal text", { q: "lamp without shade", literal: "true" }, [42]],
    ["a price that an explicit range outranks", { q: "mug under $13", priceRange: "[16,17]" }, [16, 17]],
  ])("reads %s", async (_, query, expected) => {
    const response = await search({ sort: "price", ...query });
    expectDocumented("searchTrial", 200, response);
    expect(response.json().Products.map(({ price }: { price: number }) => price)).toEqual(expected);
  });

  it("reads a rating", async () => {
    const { Products } = (await search({ q: "4 stars" })).json();
    expect(Products).toMatchObject([{ name: "Umbrella" }]);
  });
});

describe("400", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["no q", {}, /^q:/],
    ["an empty q", { q: "" }, /^q:/],
    ["a blank q", { q: " \t" }, /^q:/],
    ["a q of 513 characters", { q: "a".repeat(513) }, /^q:/],
    ["an unknown sort", { q: "mug", sort: "newest" }, /^sort:.*relevance/],
    ["an unknown order", { q: "mug", order: "up" }, /^order:/],
    ["no range", { q: "mug", priceRange: "cheap" }, /^priceRange: cheap .*\[100,500\]/],
    ["a negative price", { q: "mug", priceRange: "[-1,5]" }, /^priceRange:/],
    ["an upside-down range", { q: "mug", priceRange: "[5,1]" }, /^priceRange:.*above/],
    ["a literal that is no boolean", { q: "mug", literal: "yes" }, /^literal:/],
    ["half a bracket", { q: "mug", priceRange: "[1,5" }, /^priceRange:/],
  ])("with %s", async (_, query, message) => {
    expectInvalid("searchTrial", message, await search(query));
  });

  it("accepts 512 characters of several bytes", async () => {
    expectDocumented("searchTrial", 200, await search({ q: "🫖".repeat(512) }));
  });
});
