import { refreshPopularity } from "@product-search/features/insights/popularity.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createInsightService, type InsightService } from "../../testing/insight-service.ts";
import { createTestService } from "../../testing/test-service.ts";

const dayMs = 24 * 3600 * 1000;
let service: InsightService;
beforeAll(async () => {
  service = await createInsightService();
  await service.stores.catalogStore.apply(
    ["1", "2", "3"].map((key) => bareProduct(key, { name: `Harp ${key}` })),
  );
  await service.stores.catalogStore.apply([bareProduct("lyre", { name: "Lyre" })]);
  await service.indexed();
});
afterAll(() => service.close());

const { signal } = new AbortController();

async function refreshed(): Promise<void> {
  await service.counted();
  await refreshPopularity(service.stores, signal);
  await service.indexed();
}

test("what is clicked, put into carts and bought comes first by popularity and among equals, for 30 days", async () => {
  const { Products, queryId } = await service.search("harp");
  const [first, second, third] = Products.map(({ _id }) => _id);
  const lyre = (await service.search("lyre")).Products[0]?._id;
  await service.send([
    { type: "click", productId: second, queryId },
    { type: "cart", productId: third, queryId },
    { type: "purchase", productId: lyre },
  ]);
  await refreshed();
  const ids = async (more: Record<string, string> = {}) =>
    (await service.search("harp", more)).Products.map(({ _id }) => _id);
  expect(await ids({ sort: "popularity" })).toEqual([third, second, first]);
  expect(await ids({ sort: "popularity", order: "asc" })).toEqual([first, second, third]);
  expect(await ids()).toEqual([third, second, first]);
  expect(await refreshPopularity(service.stores, signal)).toBe(0);
  service.clock.nowMs += 31 * dayMs;
  await refreshed();
  expect(await ids()).toEqual([first, second, third]);
});

test("an import of a product leaves its popularity", async () => {
  const { Products, queryId } = await service.search("lyre");
  await service.send([{ type: "purchase", productId: Products[0]?._id, queryId }]);
  await refreshed();
  await service.stores.catalogStore.apply([bareProduct("lyre", { name: "Golden lyre" })]);
  const product = await service.stores.catalogStore.findById(Products[0]?._id ?? "");
  expect(product).toMatchObject({ name: "Golden lyre", popularity: expect.any(Number) });
});

test.each([
  [{}, "boosted"],
  [{ BOOST_FACTOR: "1" }, "plain"],
])("boosted products come earlier, with %j %s ones do not give way", async (environment, expected) => {
  const other = await createTestService({ environment });
  await other.stores.catalogStore.apply([
    bareProduct("plain", { name: "Oak cello", averageRating: 5, reviewCount: 100 }),
    bareProduct("boosted", { name: "Oak cello", isBoosted: true, averageRating: 1, reviewCount: 100 }),
  ]);
  await other.indexed();
  const token = await other.token({ scopes: ["search"] });
  const response = await other.app.inject({
    url: "/api/v1/search/catalog?q=cello",
    headers: { authorization: `Bearer ${token}` },
  });
  const [{ slug }] = response.json().Products;
  const found = await other.stores.catalogStore.findBySlug("catalog", slug);
  expect(found?.key).toBe(expected);
  await other.close();
});

test.each([
  [{}, ["plain", "sold out"]],
  [{ OUT_OF_STOCK: "mixed" }, ["sold out", "plain"]],
])("with %j, what is out of stock comes last or not", async (environment, expected) => {
  const other = await createTestService({ environment });
  await other.stores.catalogStore.apply([
    bareProduct("plain", { name: "Oak viola with a case", averageRating: 1, reviewCount: 100 }),
    bareProduct("sold out", { name: "Viola", availability: "out_of_stock", averageRating: 5 }),
  ]);
  await other.indexed();
  const token = await other.token({ scopes: ["search"] });
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ["search/catalog?q=viola", "search/trial?q=viola", "search/suggestions?q=viola"]) {
    const response = await other.app.inject({ url: `/api/v1/${path}`, headers });
    expect(response.json().Products.map(({ key }: { key: string }) => key)).toEqual(expected);
  }
  await other.close();
});
