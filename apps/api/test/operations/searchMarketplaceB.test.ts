import { ApiError } from "@product-search/core/errors.ts";
import { fakeMug, fakeMugs } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { invalidQueries, responseToFailure } from "../../testing/marketplaces/shared-errors.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "searchMarketplaceB";
const url = "/api/v1/search/marketplace-b";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService({ environment: { SECONDHAND_SOURCES: "marketplace-b" } });
  token = await service.token({ scopes: ["search"] });
  await service.stores.catalogStore.apply([
    ...fakeMugs("marketplace-b", 45),
    fakeMug("marketplace-b", 100, {
      name: "Teapot without lid",
      priceMinor: 2000,
      originalPriceMinor: 2550,
      reviewCount: 12,
    }),
    fakeMug("marketplace-a", 200),
    fakeMug("catalog", 300),
  ]);
  await service.indexed();
});
afterAll(() => service.close());

const search = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  service.app.inject({ url, query, headers: { authorization: `Bearer ${token}`, ...headers } });

describe("200", () => {
  it("applies filters in the text of the query, unless it is literal", async () => {
    const counts = await Promise.all(
      [
        { q: "mug under $13" },
        { q: "teapot without lid" },
        { q: '"teapot without lid"' },
        { q: "teapot without lid", literal: "true" },
      ].map(async (query) => {
        const response = await search(query);
        expectDocumented(id, 200, response);
        return response.json().count;
      }),
    );
    expect(counts).toEqual([3, 0, 1, 1]);
  });

  it("returns the first twenty products of marketplace B only", async () => {
    const response = await search({ q: "mug" });
    expectDocumented(id, 200, response);
    expect(response.json()).toMatchObject({ count: 45, page: 1, limit: 20, hasMore: true, secondhand: true });
    expect(response.json().Products).toHaveLength(20);
  });

  it("returns every product once over all pages, with continued positions", async () => {
    const products: { position: number; slug: string }[] = [];
    for (const page of [1, 2, 3, 4]) {
      const body = (await search({ q: "mug", count: "15", page: String(page) })).json();
      expect(body).toMatchObject({ count: 45, page, limit: 15, hasMore: page < 3 });
      products.push(...body.Products);
    }
    expect(products.map(({ position }) => position)).toEqual(Array.from({ length: 45 }, (_, at) => at + 1));
    expect(new Set(products.map(({ slug }) => slug)).size).toBe(45);
  });

  it("has the fields of the interface for marketplace B", async () => {
    const [teapot] = (await search({ q: "teapot" })).json().Products;
    expect(teapot).toEqual({
      _id: "marketplace-b_MUG100",
      name: "Teapot without lid",
      price: 20,
      images: ["https://shops.example/mugs/100.jpg"],
      url: "https://shops.example/mugs/100",
      slug: "MUG100",
      brand: "Nordlys",
      storeName: "Kitchen & Co",
      source: "marketplace-b",
      originalPrice: 25.5,
      currency: "USD",
      reviewCount: 12,
      description: "Hand-glazed, safe for the dishwasher.",
      availability: "In stock",
      position: 1,
    });
  });

  it("returns the brand named in the query", async () => {
    const { storeBrandMatch } = (await search({ q: "nordlys mug" })).json();
    expect(storeBrandMatch).toEqual([
      { name: "Nordlys", serviceBrandPageUrl: "http://service.test/brands/Nordlys" },
    ]);
  });

  it("is an empty page after the last product, inside the window", async () => {
    const response = await search({ q: "mug", count: "250", page: "40" });
    expectDocumented(id, 200, response);
    expect(response.json()).toMatchObject({ Products: [], count: 45, hasMore: false });
  });
});

describe("400", () => {
  it.each(invalidQueries)("with %s", async (_, query, message) => {
    expectInvalid(id, message, await search(query));
  });
});

describe("502", () => {
  it("when the marketplace fails, with its name and the cause", async () => {
    const error = new ApiError("upstream_failed", "marketplace-b failed (HTTP 500).");
    const response = await responseToFailure(id, "marketplace-b", error);
    expectDocumented(id, 502, response);
    expect(response.json().message).toBe("marketplace-b failed (HTTP 500).");
  });
});

describe("504", () => {
  it("when the marketplace does not respond in time", async () => {
    const error = new ApiError("upstream_timeout", "marketplace-b did not respond within 3 seconds.");
    expectDocumented(id, 504, await responseToFailure(id, "marketplace-b", error));
  });
});
