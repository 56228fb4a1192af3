import { refreshPopularity } from "@product-search/features/insights/popularity.ts";
import { bareProduct, fakeMugs } from "@product-search/testing/fake-products.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from "vitest";
import { createInsightService, type InsightService } from "../../testing/insight-service.ts";
import {
  createMerchandisingService,
  type MerchandisingService,
} from "../../testing/merchandising-service.ts";
import { createTestService } from "../../testing/test-service.ts";

describe("rules", () => {
  let service: MerchandisingService;
  let ids: string[];
  beforeAll(async () => {
    service = await createMerchandisingService();
    await service.stores.catalogStore.apply(fakeMugs("catalog", 30));
    await service.indexed();
    ids = idsOf(await search("q=mug&count=50"));
  });
  afterAll(() => service.close());
  afterEach(async () => {
    const { rules } = (await service.call("GET", "/rules")).json();
    for (const { id } of rules) await service.call("DELETE", `/rules/${id}`);
    await service.rulesApplied();
  });

  interface Found {
    Products: { _id: string; name: string }[];
    count: number;
    appliedRules?: string[];
    redirectUrl?: string;
  }

  async function search(query: string): Promise<Found> {
    const response = await service.call("GET", `/search/catalog?${query}`);
    expectDocumented("searchCatalog", 200, response);
    return response.json();
  }

  const idsOf = ({ Products }: Found) => Products.map(({ _id }) => _id);

  async function apply(rule: object): Promise<string> {
    const { id } = await service.createRule({ name: "A rule", when: { query: "mug" }, ...rule });
    await service.rulesApplied();
    return id;
  }

  it("pins, hides and says which rules did, with exact counts on every page", async () => {
    const [first = "", second = ""] = ids;
    const last = ids.at(-1) ?? "";
    const hiding = await apply({ hide: [first, "no such product"] });
    const pinning = await apply({ pin: [{ productId: last, position: 2 }] });
    const { count, appliedRules } = await search("q=mug");
    expect(appliedRules).toEqual([hiding, pinning]);
    expect(count).toBe(ids.length - 1);
    const pages: string[] = [];
    for (let page = 1; page <= 5; page++) pages.push(...idsOf(await search(`q=mug&count=7&page=${page}`)));
    expect(pages).toEqual([second, last, ...ids.slice(2, -1)]);
    expect((await search("q=mugs")).appliedRules).toEqual([hiding, pinning]);
    expect((await search("q=mugg")).appliedRules).toBeUndefined();
  });

  it("searches for another text, and names the page of the first rule that has one", async () => {
    await apply({ when: { query: "cup" }, replaceQuery: "mug" });
    await apply({ when: { query: "cup", match: "contains" }, redirectUrl: "https://shop.example/mugs" });
    const found = await search("q=Cup&count=50");
    expect(idsOf(found)).toEqual(ids);
    expect(found.redirectUrl).toBe("https://shop.example/mugs");
    expect(found.appliedRules).toHaveLength(2);
  });

  it("raises products by a factor", async () => {
    const last = ids.at(-1) ?? "";
    await apply({ boost: [{ productIds: [last], factor: 10 }] });
    expect(idsOf(await search("q=mug&count=50"))).toEqual([last, ...ids.slice(0, -1)]);
  });

  it("names products by their keys, also those that are written later", async () => {
    const [later] = fakeMugs("catalog", 31).slice(-1);
    if (later === undefined) throw new Error("There is no mug.");
    await apply({ when: { query: "zzqq" }, pin: [{ productId: later.key, position: 1 }] });
    expect((await search("q=zzqq")).count).toBe(0);
    await service.stores.catalogStore.apply([later]);
    await service.indexed();
    const found = await search("q=zzqq");
    expect(found).toMatchObject({ count: 1, Products: [{ name: later.name }] });
    await service.stores.catalogStore.remove(idsOf(found));
    await service.indexed();
    expect((await search("q=zzqq")).count).toBe(0);
  });

  it("without a condition, acts on every search", async () => {
    const [first = ""] = ids;
    const id = await apply({ when: {}, hide: [first] });
    const everything = await search("brands=Nordlys&count=50");
    expect(everything).toMatchObject({ appliedRules: [id], count: ids.length - 1 });
    expect(idsOf(everything)).not.toContain(first);
    expect(idsOf(await search("q=mug&count=50&sort=price"))).not.toContain(first);
  });

  it("acts on a search that is filtered by a category", async () => {
    const [first = ""] = ids;
    const { Products } = await search(`q=mug&count=1`);
    const category = "Mugs";
    expect(Products).toHaveLength(1);
    await apply({ when: { categories: [category] }, hide: [first] });
    expect(idsOf(await search(`q=mug&count=50&categories=${category}`))).not.toContain(first);
    expect(idsOf(await search("q=mug&count=50"))).toContain(first);
  });
});

describe("boosted and popular", () => {
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
});
