import { loadSample } from "@product-search/features/catalog/load-sample.ts";
import {
  createInsightsClient,
  createSearchClient,
  type SearchClientOptions,
  type SearchRequest,
} from "@product-search/instantsearch";
import algoliasearchHelper from "algoliasearch-helper";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sampleProductInputs } from "../../src/compose/sample-products.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
let options: SearchClientOptions;
let client: ReturnType<typeof createSearchClient>;
let requested: { url: string; body: unknown }[] = [];
let sendHere: typeof fetch;
beforeAll(async () => {
  service = await createTestService({});
  await loadSample(service.stores, sampleProductInputs(600, { currency: "USD", nowMs: Date.now() }));
  await service.indexed();
  const token = await service.token({ scopes: ["search"], publicOrigins: ["https://shop.example"] });
  sendHere = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const url = pathname + search;
    requested.push({ url, body: init?.body });
    const headers = Object.fromEntries(new Headers(init?.headers));
    const response = await service.app.inject({
      method: init?.method === "POST" ? "POST" : "GET",
      url,
      headers,
      ...(typeof init?.body === "string" && { payload: init.body }),
    });
    return new Response(response.body, { status: response.statusCode });
  };
  options = { baseUrl: "http://service.test/api/v1/", token, fetch: sendHere };
  client = createSearchClient(options);
});
afterAll(() => service.close());
beforeEach(() => {
  requested = [];
});

const helperOf = (indexName = "products") =>
  algoliasearchHelper(client, indexName, {
    disjunctiveFacets: ["brand", "category", "price", "averageRating"],
    facets: ["storeName"],
    hitsPerPage: 10,
    maxValuesPerFacet: 50,
  });
async function search(helper: ReturnType<typeof helperOf>) {
  const { content } = await helper.searchOnce({});
  return content;
}
const api = async (query: string) => {
  const token = await service.token({ scopes: ["search"] });
  const headers = { authorization: `Bearer ${token}` };
  return (await service.app.inject({ url: `/api/v1/search/catalog?${query}`, headers })).json();
};

describe("InstantSearch's helper with the search client", () => {
  it("shows everything before anything was typed", async () => {
    const content = await search(helperOf());
    const { catalog } = await service.stores.catalogStore.countBySource();
    expect(content.nbHits).toBe(catalog);
    expect(content.hits).toHaveLength(10);
  });

  it("finds, highlights and counts as the API, in one request", async () => {
    const content = await search(helperOf().setQuery("desk lamp"));
    const expected = await api("q=desk+lamp&count=10&facets=brands");
    expect(requested).toHaveLength(1);
    expect(content.nbHits).toBe(expected.count);
    const ids = content.hits.map(({ objectID }) => objectID);
    expect(ids).toEqual(expected.Products.map(({ _id }: { _id: string }) => _id));
    expect(JSON.stringify(content.hits[0])).toMatch(/<em>Lamp/i);
    const brands = content.getFacetValues("brand", { sortBy: ["count:desc", "name:asc"] });
    expect(brands).toMatchObject([
      { name: expected.facets.brands[0].value, count: expected.facets.brands[0].count },
      ...expected.facets.brands.slice(1).map(() => ({})),
    ]);
  });

  it("marks other forms of a word, where the service finds them", async () => {
    const { hits } = await search(helperOf().setQuery("mugs"));
    expect(JSON.stringify(hits[0])).toMatch(/<em>mug<\/em>/i);
  });

  it("refines by several values, and goes on counting the others, still in one request", async () => {
    const { facets } = await api("q=lamp&facets=brands");
    const [first, second] = facets.brands;
    const helper = helperOf()
      .setQuery("lamp")
      .addDisjunctiveFacetRefinement("brand", first.value)
      .addDisjunctiveFacetRefinement("brand", second.value);
    const content = await search(helper);
    expect(requested).toHaveLength(1);
    expect(content.nbHits).toBe(first.count + second.count);
    const shown = content.getFacetValues("brand", {});
    expect(shown).toHaveLength(facets.brands.length);
  });

  it("excludes values, and keeps what is on sale", async () => {
    const all = await api("q=lamp&facets=stores,onSale");
    const [{ value, count }] = all.facets.stores;
    const others = await search(helperOf().setQuery("lamp").addFacetExclusion("storeName", value));
    expect(others.nbHits).toBe(all.count - count);
    const reduced = algoliasearchHelper(client, "products", { facets: ["onSale"] });
    const content = await search(reduced.setQuery("lamp").addFacetRefinement("onSale", "true"));
    expect(content.nbHits).toBe(all.facets.onSale[0]?.count ?? 0);
    expect(content.nbHits).toBeGreaterThan(0);
  });

  it("compares prices and ratings, and shows their ranges", async () => {
    const helper = helperOf()
      .setQuery("lamp")
      .addNumericRefinement("price", ">=", 20)
      .addNumericRefinement("price", "<=", 60)
      .addNumericRefinement("averageRating", "<=", 5)
      .addNumericRefinement("averageRating", ">=", 4);
    const content = await search(helper);
    const expected = await api("q=lamp&priceRange=[20,60]&minRating=4&facets=price");
    expect(content.nbHits).toBe(expected.count);
    expect(content.nbHits).toBeGreaterThan(0);
    expect(content.getFacetStats("price")).toMatchObject({ min: expected.facets.price[0].from });
    // InstantSearch's menu of ratings adds up what is at least 4.
    const ratings = content.getFacetValues("averageRating", {});
    const atLeast4 = (Array.isArray(ratings) ? ratings : [])
      .filter(({ name }: { name: string }) => Number(name) >= 4)
      .reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    expect(atLeast4).toBe(expected.count);
  });

  it("sorts by the name of the index and pages to the end", async () => {
    const helper = helperOf("products/price/desc").setQuery("lamp");
    const first = await search(helper);
    const prices = first.hits.map(({ price }: { price?: number }) => price ?? 0);
    expect(prices).toEqual(prices.toSorted((one, other) => other - one));
    const last = await search(helper.setPage((first.nbPages ?? 1) - 1));
    expect(last.hits.length).toBe(first.nbHits - 10 * ((first.nbPages ?? 1) - 1));
  });

  it("shows the variants of a product as one hit, in facets too", async () => {
    const grouped = algoliasearchHelper(createSearchClient({ ...options, grouped: true }), "products", {
      disjunctiveFacets: ["brand"],
      hitsPerPage: 10,
    });
    for (const [query, q] of [
      ["lamp", "q=lamp"],
      ["", "availability=in_stock,out_of_stock,preorder,backorder"],
    ] as const) {
      const { content } = await grouped.setQuery(query).searchOnce({});
      const [together, apart] = [await api(`${q}&grouped=true&facets=brands`), await api(q)];
      expect(content.nbHits).toBe(together.count);
      expect(content.nbHits).toBeLessThan(apart.count);
      const brands = content.getFacetValues("brand", { sortBy: ["count:desc", "name:asc"] });
      expect(brands).toMatchObject(together.facets.brands.map(({ count }: { count: number }) => ({ count })));
      expect(content.hits[0]).toMatchObject({ variantCount: expect.any(Number) });
    }
  });

  it("completes names of a facet", async () => {
    const { facets } = await api("q=lamp&facets=brands");
    const name: string = facets.brands[0].value;
    const helper = helperOf().setQuery("lamp");
    const { facetHits } = await helper.searchForFacetValues("brand", name.slice(0, 3).toLowerCase(), 5);
    expect(facetHits.map(({ value }) => value)).toContain(name);
    expect(facetHits[0]?.highlighted).toContain("<");
  });

  it("keeps commas and quotes in names", async () => {
    const [one] = await service.stores.catalogStore.scan(0, 1);
    await service.stores.catalogStore.apply([
      {
        source: "catalog",
        key: "comma",
        name: "Comma lamp",
        brand: "Smith, \\ 'Sons'",
        storeName: one?.storeName ?? "",
        description: "",
        url: "/products/comma",
        images: [],
        priceMinor: 100,
        availability: "in_stock",
      },
    ]);
    await service.indexed();
    const content = await search(helperOf().addDisjunctiveFacetRefinement("brand", "Smith, \\ 'Sons'"));
    expect(content.nbHits).toBe(1);
  });

  it("says what it cannot do, and passes on what the service says", async () => {
    const query = (params: SearchRequest["params"]) =>
      client.search([{ indexName: "products", ...(params && { params }) }]);
    await expect(query({ facets: ["colour"] })).rejects.toThrow('"colour" cannot be a facet');
    await expect(query({ filters: "brand:x" })).rejects.toThrow("filters");
    await expect(query({ facetFilters: ["availability:-in_stock"] })).rejects.toThrow("exclude");
    await expect(query({ numericFilters: ["discount>5"] })).rejects.toThrow("discount>5");
    const wrong = createSearchClient({ baseUrl: "http://service.test/api/v1", token: "no", fetch: sendHere });
    await expect(wrong.search([{ indexName: "products" }])).rejects.toMatchObject({ status: 401 });
    const noVersion = createSearchClient({ baseUrl: "http://service.test", token: "no", fetch: sendHere });
    await expect(noVersion.search([{ indexName: "products" }])).rejects.toMatchObject({ status: 404 });
  });
});

describe("attributes and category paths", () => {
  it("are asked and read as the service names them", async () => {
    const urls: string[] = [];
    const facets = {
      categoryPaths: [
        { value: "Home", count: 9 },
        { value: "Home > Lamps", count: 4 },
      ],
      attributes: { color: [{ value: "Black", count: 2 }] },
    };
    const reply = { status: "success", Products: [], count: 0, hasMore: false, page: 1, limit: 1, facets };
    const fake = createSearchClient({
      baseUrl: "https://service.test/api/v1",
      token: "t",
      fetch: async (url) => {
        urls.push(decodeURIComponent(String(url)).replaceAll("+", " "));
        return Response.json({ ...reply, queryId: "q1" });
      },
    });
    const { results } = await fake.search([
      {
        indexName: "products",
        params: {
          facets: ["categoryPaths.lvl0", "categoryPaths.lvl1", "attributes.color"],
          facetFilters: [
            ["categoryPaths.lvl1:Home > Lamps"],
            ["attributes.color:Black:, matt", "attributes.color:Red"],
          ],
        },
      },
    ]);
    expect(urls[0]).toContain("categories=Home > Lamps");
    expect(urls[0]).toContain("attributes=color:Black\\:\\, matt,color:Red");
    expect(urls[0]).toContain("facets=categoryPaths,attributes.color");
    expect(results[0]).toMatchObject({
      facets: {
        "categoryPaths.lvl0": { Home: 9 },
        "categoryPaths.lvl1": { "Home > Lamps": 4 },
        "attributes.color": { Black: 2 },
      },
      queryID: "q1",
    });
  });
});

describe("events", () => {
  it("are sent as the service takes them; views are not", async () => {
    const bodies: unknown[] = [];
    const insights = createInsightsClient({
      baseUrl: "https://service.test/api/v1",
      token: "t",
      fetch: async (url, init) => {
        expect(String(url)).toBe("https://service.test/api/v1/events");
        bodies.push(JSON.parse(String(init?.body)));
        return Response.json({ status: "success", accepted: 1 }, { status: 202 });
      },
    });
    insights("init", { appId: "x" });
    insights("setUserToken", "somebody");
    insights("viewedObjectIDs", { objectIDs: ["a"] });
    insights("clickedObjectIDsAfterSearch", {
      objectIDs: ["a"],
      positions: [3],
      queryID: "q",
      userToken: "u",
    });
    insights("sendEvents", [
      { eventType: "view", objectIDs: ["a"] },
      { eventType: "conversion", eventSubtype: "addToCart", objectIDs: ["b"], queryID: "q" },
    ]);
    insights("purchasedObjectIDs", { objectIDs: ["c"] });
    expect(bodies).toEqual([
      { events: [{ type: "click", productId: "a", queryId: "q", position: 3 }] },
      { events: [{ type: "cart", productId: "b", queryId: "q" }] },
      { events: [{ type: "purchase", productId: "c" }] },
    ]);
  });
});
