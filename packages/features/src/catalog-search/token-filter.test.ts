import type { MarketplaceListing } from "@product-search/core/domain/product.ts";
import { expect, test } from "vitest";
import { filterMarketplace, withTokenFilter } from "./token-filter.ts";

const { signal } = new AbortController();

test("what a token must not see is left out of a live marketplace's page, and off its number", async () => {
  const listing = (key: string, capacity: string): MarketplaceListing => ({
    ...{ id: key, key, slug: key, name: "Mug", storeName: "Kitchen & Co", description: "", images: [] },
    ...{ url: "https://shops.example/", priceMinor: 900, availability: "in_stock", reviewCount: 0 },
    attributes: { capacity: [capacity] },
  });
  const items = [listing("a", "1.5 l"), listing("b", "1500"), listing("c", "1.9"), listing("d", "large")];
  const source = filterMarketplace(
    { search: async () => ({ items, total: 40, hasMore: true }) },
    { numberUnit: async (attribute, of) => (attribute === "capacity" && of === "catalog" ? "l" : undefined) },
  );
  const search = (name: string) =>
    withTokenFilter({ ranges: [{ name, min: { value: 1 }, max: { value: 2 } }] }, () =>
      source.search({ text: "mug", offset: 0, limit: 4 }, signal),
    );
  const keys = async (name: string) => (await search(name)).items.map(({ key }) => key);
  expect(await keys("capacity")).toEqual(["a", "c"]);
  expect(await search("capacity")).toMatchObject({ total: 38, hasMore: true });
  expect(await keys("size")).toEqual([]);
  expect((await source.search({ text: "mug", offset: 0, limit: 4 }, signal)).items).toEqual(items);
});
