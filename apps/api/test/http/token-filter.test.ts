import type { ProductInput, ProductSource } from "@product-search/core/domain/product.ts";
import { type OperationId, operations } from "@product-search/spec/operations";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { drawing } from "@product-search/testing/images/images.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

/** In every text of the products that the token must not see, and in no other. */
const hidden = "Zorvex";

let service: TestService;
let filtered: string;
let whole: string;
let picture: string;
let seenId: string;
let hiddenId: string;

const seen = (source: ProductSource, n: number, over: Partial<ProductInput> = {}) =>
  fakeMug(source, n, {
    name: `Stoneware mug ${n}`,
    brand: "Ilmari",
    storeName: "Ilmari Shop",
    category: "Mugs",
    attributes: { color: ["Blue"], capacity: [n % 2 === 0 ? "1.5 l" : "1500 ml"] },
    images: ["/images/disc.jpg"],
    groupId: "G",
    ...over,
  });
const unseen = (source: ProductSource, n: number, over: Partial<ProductInput> = {}) =>
  fakeMug(source, n, {
    name: `Stoneware mug of ${hidden} ${n}`,
    brand: `${hidden} Mugs`,
    storeName: `${hidden} Shop`,
    description: `A mug by ${hidden}.`,
    category: `${hidden} Mugs`,
    attributes: {
      color: [`${hidden} Blue`],
      capacity: ["5 l"],
      [`${hidden.toLowerCase()} size`]: ["M"],
    },
    images: ["/images/disc.jpg"],
    groupId: "G",
    priceMinor: 500,
    ...over,
  });

beforeAll(async () => {
  const disc = await drawing("disc", "#c02020").jpeg({ quality: 95 }).toBuffer();
  picture = disc.toString("base64");
  service = await createTestService({
    environment: { ANALYTICS_DAYS: "30" },
    stores: () => ({ localImages: { read: async () => disc } }),
  });
  await service.stores.catalogStore.apply([
    ...Array.from({ length: 4 }, (_, n) => seen("catalog", n)),
    ...Array.from({ length: 40 }, (_, n) => unseen("catalog", 100 + n)),
    ...(["marketplace-a", "marketplace-b"] as const).flatMap((source) => [
      seen(source, 200),
      unseen(source, 201),
      unseen(source, 202),
    ]),
  ]);
  await service.imaged();
  await service.indexed();
  const rows = await service.stores.catalogStore.scan(0, 100);
  const idOf = (brand: string) => rows.find((row) => row.brand === brand)?.id ?? "";
  [seenId, hiddenId] = [idOf("Ilmari"), idOf(`${hidden} Mugs`)];
  whole = await service.token({ scopes: ["search"] });
});
afterAll(() => service.close());

interface Sent {
  method?: "GET" | "POST";
  url: string;
  payload?: object;
  headers?: Record<string, string>;
}

async function send({ method = "GET", url, payload, headers = {} }: Sent, token = filtered) {
  const path = /^\/(mcp|ucp)/.test(url) ? url : `/api/v1${url}`;
  return service.app.inject({
    method,
    url: path,
    headers: { authorization: `Bearer ${token}`, host: "service.test", ...headers },
    ...(payload !== undefined && { payload }),
  });
}

/** For each operation, requests that would show products which the token must not see. */
const requests: Partial<Record<OperationId, () => Promise<Sent[]> | Sent[]>> = {
  vectorizeImage: () => [{ method: "POST", url: "/vectorize-image", payload: { base64String: picture } }],
  detectObjects: () => [{ method: "POST", url: "/detect-objects", payload: { base64String: picture } }],
  searchByImage: async () => {
    const uploaded = await send({
      method: "POST",
      url: "/vectorize-image",
      payload: { base64String: picture },
    });
    return [{ url: `/search?imageId=${uploaded.json().slug}` }];
  },
  searchMarketplaceA: () => [{ url: "/search/marketplace-a?q=mug" }],
  searchMarketplaceB: () => [{ url: "/search/marketplace-b?q=mug" }],
  searchBrands: () => [{ method: "POST", url: "/search/brands", payload: { query: "mugs" } }],
  deepSearch: () => [
    { method: "POST", url: "/deep-search", payload: { query: "a stoneware mug under 200" } },
    {
      method: "POST",
      url: "/deep-search",
      payload: { query: "the cheapest mug" },
      headers: { accept: "text/event-stream" },
    },
  ],
  searchCatalog: () => [
    {
      url: "/search/catalog?q=mug&facets=brands,categories,categoryPaths,stores,price,attributes&include=description",
    },
    { url: "/search/catalog?q=stoneware+mug+xyzzy&sort=price" },
    { url: "/search/catalog?q=mug&brands=ilmari&facets=brands,attributes&grouped=true&include=variants" },
    { url: `/search/catalog?availability=in_stock,out_of_stock&facets=stores&sort=price` },
  ],
  searchCatalogBatch: () => [
    {
      method: "POST",
      url: "/search/batch",
      payload: { searches: [{ q: "mug", facets: ["brands"] }, { q: "blue mug" }] },
    },
  ],
  suggest: () =>
    ["m", "stoneware m", "z", "zor"].map((q) => ({ url: `/search/suggestions?q=${encodeURIComponent(q)}` })),
  getProduct: () => [{ url: `/products/${seenId}` }, { url: `/products/${hiddenId}` }],
  similarProducts: () => [{ url: `/products/${seenId}/similar` }, { url: `/products/${hiddenId}/similar` }],
  relatedProducts: () =>
    [seenId, hiddenId].flatMap((id) =>
      ["alike", "boughtTogether"].map((kind) => ({ url: `/products/${id}/related?kind=${kind}` })),
    ),
  listPriceHistory: () => [
    { url: `/products/${seenId}/price-history` },
    { url: `/products/${hiddenId}/price-history` },
  ],
  sendEvents: () => [
    { method: "POST", url: "/events", payload: { events: [{ type: "click", productId: seenId }] } },
  ],
};

/** Of the texts of a query or a path, which responses may repeat. */
const ids = Object.values(operations)
  .filter(({ scope }) => scope === "search")
  .map(({ operationId }) => operationId);

it("has a request for each operation that a token with a filter may call", () => {
  expect(Object.keys(requests).toSorted()).toEqual(ids.toSorted());
});

describe.each([
  "brands=ilmari&availability=in_stock",
  "ranges=capacity:[1,2]",
  "ranges=Capacity:[,0.0016m3]",
])("a token with the filter %s", (filter) => {
  beforeAll(async () => {
    filtered = await service.token({ scopes: ["search"], filter });
  });

  describe.each(ids)("%s", (operationId) => {
    it("shows nothing that the filter leaves out", async () => {
      for (const request of (await requests[operationId]?.()) ?? []) {
        const response = await send(request);
        expect(response.statusCode, response.body).toBeLessThan(500);
        expect(response.body).not.toMatch(new RegExp(hidden, "i"));
        expect(response.body).not.toContain(hiddenId);
      }
    });
  });

  it("counts what the filter keeps: hits, facets, groups, marketplaces", async () => {
    const search = async (query: string) => (await send({ url: `/search/catalog?${query}` })).json();
    const { count, facets } = await search("q=mug&facets=brands,stores,availability,price");
    expect(count).toBe(4);
    expect(facets).toMatchObject({
      brands: [{ value: "Ilmari", count: 4 }],
      stores: [{ value: "Ilmari Shop", count: 4 }],
      availability: [{ value: "in_stock", count: 4 }],
    });
    expect((await search("q=mug&brands=Zorvex Mugs&facets=brands")).count).toBe(0);
    expect((await search("q=mug&brands=Zorvex Mugs&facets=brands")).facets.brands).toEqual([
      { value: "Ilmari", count: 4 },
    ]);
    const grouped = await search("q=mug&grouped=true&include=variants");
    expect(grouped).toMatchObject({ count: 1, Products: [{ variantCount: 4 }] });
    expect((await send({ url: "/search/marketplace-b?q=mug" })).json()).toMatchObject({
      count: 1,
      hasMore: false,
    });
  });

  it("knows nothing of other products", async () => {
    for (const path of ["", "/similar", "/price-history"])
      expect((await send({ url: `/products/${hiddenId}${path}` })).json().code).toBe("product_not_found");
    expect((await send({ url: `/products/${seenId}` })).json().variants).toHaveLength(4);
    expect(
      (await send({ method: "POST", url: "/search/brands", payload: { query: hidden } })).json().code,
    ).toBe("brand_not_found");
    const events = [seenId, hiddenId].map((productId) => ({ type: "click", productId }));
    const { accepted } = (await send({ method: "POST", url: "/events", payload: { events } })).json();
    const all = (await send({ method: "POST", url: "/events", payload: { events } }, whole)).json();
    expect([accepted, all.accepted]).toEqual([1, 2]);
  });

  it("finds similar pictures behind many that it must not show", async () => {
    const { Products } = (await send({ url: `/products/${seenId}/similar` })).json();
    expect(Products).toHaveLength(3);
  });

  it("holds for the tools of agents", async () => {
    const calls = [
      ["search_catalog", { catalog: { query: "mug" } }],
      ["lookup_catalog", { catalog: { ids: [seenId, hiddenId] } }],
      ["get_product", { catalog: { id: seenId } }],
      ["get_product", { catalog: { id: hiddenId } }],
      ["ask", { question: "a stoneware mug" }],
    ] as const;
    for (const [name, input] of calls) {
      const params = { name, arguments: input };
      const payload = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const headers = { accept: "application/json" };
      const response = await send({ method: "POST", url: "/mcp", payload, headers });
      expect(response.statusCode, response.body).toBe(200);
      expect(response.body).not.toMatch(new RegExp(hidden, "i"));
      if (name === "search_catalog")
        expect(response.json().result.structuredContent.pagination.total_count).toBe(4);
    }
  });

  it("holds for UCP over plain HTTP", async () => {
    for (const [url, payload] of [
      ["/ucp/catalog/search", { query: "mug" }],
      ["/ucp/2026-04-08/catalog/lookup", { ids: [seenId, hiddenId] }],
      ["/ucp/catalog/product", { id: hiddenId }],
    ] as const) {
      const response = await send({ method: "POST", url, payload });
      expect(response.statusCode, response.body).toBe(200);
      expect(response.body).not.toMatch(new RegExp(hidden, "i"));
    }
  });
});

it("would show it without the filter", async () => {
  for (const url of ["/search/catalog?q=mug", "/search/marketplace-a?q=mug", "/search/suggestions?q=zor"])
    expect((await send({ url }, whole)).body).toContain(hidden);
});

it("is refused for other scopes", async () => {
  await expect(service.token({ scopes: ["search", "catalog"], filter: "brands=Ilmari" })).rejects.toThrow(
    "scope search only",
  );
});
