import type { ProductInput } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { type Marketplace, marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import { fakeMug, fakeMugs } from "@product-search/testing/fake-products.ts";
import { exampleRequest, expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "./test-service.ts";

/** What both marketplace searches refuse: a name, the query, and the message. */
const invalidQueries: [string, Record<string, string>, RegExp][] = [
  ["no q", {}, /^q:/],
  ["a blank q", { q: " " }, /^q:/],
  ["a count of 0", { q: "mug", count: "0" }, /^count:/],
  ["a count of 251", { q: "mug", count: "251" }, /^count:/],
  ["a count that is no number", { q: "mug", count: "many" }, /^count:/],
  ["a page of 0", { q: "mug", page: "0" }, /^page:/],
  ["a page beyond the window", { q: "mug", count: "250", page: "41" }, /^page:.*last page is 40/],
];

interface MarketplaceSearch {
  marketplace: Marketplace;
  settings?: Record<string, string>;
  /** What only this one's teapot has, when it is imported. */
  teapot: Partial<ProductInput>;
  ownFields: object;
  ownProductFields: object;
}

/** The tests of an operation that searches a marketplace. */
export function describeMarketplaceSearch(
  id: string,
  { marketplace, settings = {}, teapot, ownFields, ownProductFields }: MarketplaceSearch,
): void {
  const other = marketplaces.find((one) => one !== marketplace) ?? marketplace;
  let service: TestService;
  let token: string;
  beforeAll(async () => {
    service = await createTestService({ environment: settings });
    token = await service.token({ scopes: ["search"] });
    await service.stores.catalogStore.apply([
      ...fakeMugs(marketplace, 45),
      fakeMug(marketplace, 100, {
        name: "Teapot without lid",
        priceMinor: 2000,
        originalPriceMinor: 2550,
        ...teapot,
      }),
      fakeMug(other, 200),
      fakeMug("catalog", 300),
    ]);
    await service.indexed();
  });
  afterAll(() => service.close());

  const search = (query: Record<string, string>) =>
    service.app.inject({
      url: `/api/v1/search/${marketplace}`,
      query,
      headers: { authorization: `Bearer ${token}` },
    });

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

    it("returns the first twenty products of this marketplace only", async () => {
      const response = await search({ q: "mug" });
      expectDocumented(id, 200, response);
      expect(response.json()).toMatchObject({ count: 45, page: 1, limit: 20, hasMore: true, ...ownFields });
      expect(response.json().Products).toHaveLength(20);
      expect(response.headers).not.toHaveProperty("cache-status");
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

    it("has the fields of the interface for this marketplace", async () => {
      const [product] = (await search({ q: "teapot" })).json().Products;
      expect(product).toEqual({
        _id: `${marketplace}_MUG100`,
        key: "MUG100",
        name: "Teapot without lid",
        price: 20,
        originalPrice: 25.5,
        images: ["https://shops.example/mugs/100.jpg"],
        url: "https://shops.example/mugs/100",
        slug: "MUG100",
        brand: "Nordlys",
        storeName: "Kitchen & Co",
        source: marketplace,
        description: "Hand-glazed, safe for the dishwasher.",
        availability: "In stock",
        position: 1,
        currency: "USD",
        ...ownProductFields,
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
      const error = new ApiError("upstream_failed", `${marketplace} failed (HTTP 500).`);
      const response = await responseToFailure(id, marketplace, error);
      expectDocumented(id, 502, response);
      expect(response.json().message).toBe(`${marketplace} failed (HTTP 500).`);
    });
  });

  describe("504", () => {
    it("when the marketplace does not respond in time", async () => {
      const error = new ApiError("upstream_timeout", `${marketplace} did not respond within 3 seconds.`);
      expectDocumented(id, 504, await responseToFailure(id, marketplace, error));
    });
  });
}

/** The response of a service whose marketplace fails with this error. */
async function responseToFailure(operationId: string, marketplace: Marketplace, error: ApiError) {
  const failing = { search: () => Promise.reject(error) };
  const service = await createTestService({
    ports: (ports) => ({
      ...ports,
      marketplaceSources: { ...ports.marketplaceSources, [marketplace]: failing },
    }),
  });
  const response = await service.app.inject(exampleRequest(operationId, await service.token()));
  await service.close();
  return response;
}
