import { fakeMugs } from "@product-search/testing/fake-products.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  createMerchandisingService,
  type MerchandisingService,
} from "../../testing/merchandising-service.ts";

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
