import { marketplaces } from "@product-search/core/domain/fields.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import type { Freshness, MarketplacePage } from "@product-search/core/ports/marketplace-source.ts";
import { describeMarketplaceSource } from "@product-search/testing/contracts/marketplace-source/contract.ts";
import { createNaiveCatalog, listed } from "@product-search/testing/naive-catalog.ts";
import { describe, expect, test } from "vitest";
import { createFeedSource, searchMarketplace } from "./search-marketplace.ts";

const never = new AbortController().signal;
const catalog = createNaiveCatalog([
  ...Array.from({ length: 45 }, (_, at) =>
    listed("marketplace-a", at + 1, {
      name: `Mug ${at}`,
      brand: "Nordlys",
      priceMinor: 1150,
      originalPriceMinor: 1400,
    }),
  ),
  listed("marketplace-b", 100, { name: "Mug of B", reviewCount: 3, averageRating: 4.5 }),
]);
const deps = {
  ...catalog,
  marketplaceSources: recordOf(marketplaces, (marketplace) => createFeedSource({ marketplace, ...catalog })),
  secondhandSources: ["marketplace-b"],
  publicUrl: "https://shop.example",
  currency: "USD",
};

describe("searches of marketplaces", () => {
  test("return every product once over all pages, with continued positions", async () => {
    const seen: [number, string][] = [];
    for (let page = 1, more = true; more; page++) {
      const { body, headers } = await searchMarketplace(
        deps,
        "marketplace-a",
        { q: "mug", count: 20, page },
        never,
      );
      expect(body).toMatchObject({ count: 45, page, limit: 20, source: "marketplace-a", secondhand: false });
      expect(headers).toEqual({});
      seen.push(...body.Products.map(({ position, itemCode }): [number, string] => [position, itemCode]));
      more = body.hasMore;
    }
    expect(seen).toEqual(Array.from({ length: 45 }, (_, at) => [at + 1, `CODE${at + 1}`]));
  });

  test("return 20 products of the first page by default", async () => {
    const { body } = await searchMarketplace(deps, "marketplace-a", { q: "mug" }, never);
    expect(body).toMatchObject({ page: 1, limit: 20, hasMore: true });
    expect(body.Products).toHaveLength(20);
  });

  test("have the fields that the interface requires for each marketplace", async () => {
    const a = await searchMarketplace(deps, "marketplace-a", { q: "mug" }, never);
    const b = await searchMarketplace(deps, "marketplace-b", { q: "mug" }, never);
    expect(a.body.Products[0]).toMatchObject({
      _id: "marketplace-a_CODE1",
      originalPrice: 14,
      itemCode: "CODE1",
    });
    expect(a.body.Products[0]).not.toHaveProperty("reviewCount");
    expect(b.body.Products[0]).toMatchObject({
      _id: "marketplace-b_CODE100",
      slug: "CODE100",
      reviewCount: 3,
    });
    expect(b.body.Products[0]).not.toHaveProperty("originalPrice");
    expect(b.body.secondhand).toBe(true);
  });

  test("return the brands named in the query", async () => {
    const { body } = await searchMarketplace(deps, "marketplace-b", { q: "mug nordlys" }, never);
    expect(body.storeBrandMatch).toEqual([
      { name: "Nordlys", serviceBrandPageUrl: "https://shop.example/brands/Nordlys" },
    ]);
  });

  test("refuse a page beyond the window, and name the last one", async () => {
    const search = searchMarketplace(deps, "marketplace-a", { q: "mug", count: 250, page: 41 }, never);
    await expect(search).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(/last page is 40/),
    });
  });

  test("report the end at the end of the window, even if there are more matches", async () => {
    const endless = {
      search: async (): Promise<MarketplacePage> => ({ items: [], total: 50_000, hasMore: true }),
    };
    const sources = { ...deps.marketplaceSources, "marketplace-a": endless };
    const moreAt = async (count: number, page: number) =>
      (
        await searchMarketplace(
          { ...deps, marketplaceSources: sources },
          "marketplace-a",
          { q: "mug", count, page },
          never,
        )
      ).body.hasMore;
    expect(await moreAt(250, 39)).toBe(true);
    expect(await moreAt(250, 40)).toBe(false);
    expect(await moreAt(3000, 3)).toBe(false);
  });

  test.each<[Freshness, Record<string, string>]>([
    [
      { from: "miss", ageSeconds: 0, freshForSeconds: 60 },
      { age: "0", "cache-status": "product-search; fwd=miss; stored" },
    ],
    [
      { from: "shared", ageSeconds: 0, freshForSeconds: 60 },
      { age: "0", "cache-status": "product-search; fwd=miss; collapsed" },
    ],
    [
      { from: "cache", ageSeconds: 12.7, freshForSeconds: 47.3 },
      { age: "12", "cache-status": "product-search; hit; ttl=47" },
    ],
    [
      { from: "stale", ageSeconds: 90, freshForSeconds: -30 },
      { age: "90", "cache-status": "product-search; hit; ttl=-30; detail=upstream-failed" },
    ],
  ])("label a live answer: %j", async (freshness, headers) => {
    const live = { search: async () => ({ items: [], total: 0, hasMore: false, freshness }) };
    const sources = { ...deps.marketplaceSources, "marketplace-b": live };
    const response = await searchMarketplace(
      { ...deps, marketplaceSources: sources },
      "marketplace-b",
      { q: "mug" },
      never,
    );
    expect(response.headers).toEqual(headers);
  });
});

describeMarketplaceSource("feed", async (marketplace, count) => {
  const others = [
    listed("marketplace-a", 9001, { name: "Mug" }),
    listed("marketplace-a", 9002, { name: "Mug" }),
  ];
  const own = Array.from({ length: count }, (_, at) => listed(marketplace, at + 1, { name: `Mug ${at}` }));
  const source = createFeedSource({ marketplace, ...createNaiveCatalog([...others, ...own]) });
  return { source, close: async () => {} };
});
