import { marketplaces } from "@product-search/core/domain/fields.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import type { Freshness, MarketplacePage } from "@product-search/core/ports/marketplace-source.ts";
import { describeMarketplaceSource } from "@product-search/testing/contracts/marketplace-source.ts";
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
