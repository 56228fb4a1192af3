import type { ProductInput } from "@product-search/core/domain/product.ts";
import { loadSample } from "@product-search/features/catalog-write/load-sample.ts";
import {
  createInsightsClient,
  createSearchClient,
  type SearchClientOptions,
  type SearchRequest,
} from "@product-search/instantsearch";
import { productInput } from "@product-search/testing/fake-products.ts";
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

const comma: ProductInput = productInput("comma", {
  name: "Comma stand",
  brand: "Smith, \\ 'Sons'",
  description: "",
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

  it("shows the range of prices", async () => {
    const content = await search(helperOf().setQuery("lamp"));
    const { facets } = await api("q=lamp&facets=price");
    expect(content.getFacetStats("price")).toMatchObject({ min: facets.price[0].from });
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
      const [together, apart] = [
        await api(`${q}&grouped=true&facets=brands&maxFacetValues=100`),
        await api(q),
      ];
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
    await service.stores.catalogStore.apply([comma]);
    await service.indexed();
    const content = await search(helperOf().addDisjunctiveFacetRefinement("brand", "Smith, \\ 'Sons'"));
    expect(content.nbHits).toBe(1);
  });

  it("says what it cannot do, and passes on what the service says", async () => {
    const query = (params: SearchRequest["params"]) =>
      client.search([{ indexName: "products", ...(params && { params }) }]);
    await expect(query({ facets: ["colour"] })).rejects.toThrow('The field "colour" is not supported');
    await expect(query({ facetFilters: ["onSale:-true"] })).rejects.toThrow(
      '"onSale:-true" is not supported',
    );
    await expect(query({ numericFilters: ["discount>5"] })).rejects.toThrow(
      '"discount" here is not supported',
    );
    await expect(client.search([{ indexName: "products", params: { aroundLatLng: "1,2" } }])).rejects.toThrow(
      'The parameter "aroundLatLng" is not supported',
    );
    const wrong = createSearchClient({ baseUrl: "http://service.test/api/v1", token: "no", fetch: sendHere });
    await expect(wrong.search([{ indexName: "products" }])).rejects.toMatchObject({ status: 401 });
    const noVersion = createSearchClient({ baseUrl: "http://service.test", token: "no", fetch: sendHere });
    await expect(noVersion.search([{ indexName: "products" }])).rejects.toMatchObject({ status: 404 });
  });
});

interface Sent {
  searches: Record<string, unknown>[];
}
/** A client of a service that responds as it is told, and what was sent to it. */
function clientOf(respond: (sent: Sent) => Response, more: Partial<SearchClientOptions> = {}) {
  const sent: Sent[] = [];
  const fake = createSearchClient({
    baseUrl: "https://service.test/api/v1",
    token: "t",
    ...more,
    fetch: async (url, init) => {
      const body: Sent =
        init?.body === undefined ? { searches: [{ url: String(url) }] } : JSON.parse(String(init.body));
      sent.push(body);
      return respond(body);
    },
  });
  return { fake, sent };
}
const nothingFound = ({ searches }: Sent, over: object = {}) =>
  Response.json({
    status: "success",
    results: searches.map(() => ({ status: "success", Products: [], count: 0, ...over })),
  });

describe("attributes and category paths", () => {
  it("are asked and read as the service names them", async () => {
    const facets = {
      categoryPaths: [
        { value: "Home", count: 9 },
        { value: "Home > Lamps", count: 4 },
      ],
      attributes: { color: [{ value: "Black:, matt", count: 2 }] },
    };
    const { fake, sent } = clientOf((body) => nothingFound(body, { facets, queryId: "q1" }));
    const { results } = await fake.search([
      {
        indexName: "products/attributes.w/h/desc",
        params: {
          facets: ["categoryPaths.lvl0", "categoryPaths.lvl1", "attributes.color"],
          facetFilters: [["categoryPaths.lvl1:Home > Lamps"], ["attributes.color:Black:, matt"]],
        },
      },
    ]);
    expect(sent[0]?.searches[0]).toMatchObject({
      categories: ["Home > Lamps"],
      attributes: ["color:Black:, matt"],
      facets: ["categoryPaths", "attributes.color"],
      sort: "attributes.w/h",
      order: "desc",
    });
    expect(results[0]).toMatchObject({
      facets: { "categoryPaths.lvl0": { Home: 4 }, "categoryPaths.lvl1": { "Home > Lamps": 4 } },
      queryID: "q1",
    });
  });
});

describe("filters", () => {
  const search = async (params: object) =>
    (await client.search([{ indexName: "products", params }])).results[0];
  const count = async (params: object) => (await search({ hitsPerPage: 250, ...params }))?.nbHits;
  const brands = async () => (await api("q=lamp&facets=brands,stores&maxFacetValues=200")).facets;

  it("of a list must all hold", async () => {
    const [one, other] = (await brands()).brands;
    const both = [`brand:${one.value}`, `brand:${other.value}`];
    expect(await count({ query: "lamp", facetFilters: both })).toBe(0);
    expect(await count({ query: "lamp", facetFilters: [both] })).toBe(one.count + other.count);
    expect(await count({ query: "lamp", facetFilters: [both, `brand:${other.value}`] })).toBe(other.count);
  });

  it("that are alternatives over several fields, or values that one product can have, are refused", async () => {
    const fields = [["brand:A", "storeName:B"]];
    await expect(search({ facetFilters: fields })).rejects.toThrow(
      '"brand:A OR storeName:B" is not supported',
    );
    const values = ["attributes.color:Black", "attributes.color:Red"];
    await expect(search({ facetFilters: values })).rejects.toThrow("AND attributes.color:Red");
    await expect(search({ numericFilters: [["price<5", "price>9"]] })).rejects.toThrow(
      '"price<5 OR price>9"',
    );
  });

  it("of numbers are as strict as they are written, and find nothing if they contradict each other", async () => {
    const { Products } = await api("q=lamp&count=250");
    const prices: number[] = Products.map(({ price }: { price: number }) => price);
    const price = prices[3] ?? 0;
    const among = (test: (one: number) => boolean) => prices.filter(test).length;
    const lamps = (...numericFilters: string[]) => count({ query: "lamp", numericFilters });
    expect(await lamps(`price>${price}`)).toBe(among((one) => one > price));
    expect(await lamps(`price>=${price}`)).toBe(among((one) => one >= price));
    expect(await lamps(`price<${price}`)).toBe(among((one) => one < price));
    expect(await lamps(`price=${price}`)).toBe(among((one) => one === price));
    expect(await lamps(`price:${price} TO ${price + 10}`)).toBe(
      among((one) => one >= price && one <= price + 10),
    );
    for (const contradiction of [
      ["price>30", "price<20"],
      [`price>${price}`, `price<=${price}`],
      ["price<0"],
    ]) {
      requested = [];
      expect(await lamps(...contradiction)).toBe(0);
    }
    expect(await lamps("discountVal>=10")).toBe((await api("q=lamp&minDiscount=10")).count);
  });

  it("in one text are read with AND, OR, NOT and parentheses", async () => {
    const [one, other] = (await brands()).brands;
    const [store] = (await brands()).stores;
    const lamps = (filters: string) => count({ query: "lamp", filters });
    expect(await lamps(`brand:"${one.value}"`)).toBe(one.count);
    expect(await lamps(`(brand:"${one.value}" OR brand:'${other.value}') AND price >= 0`)).toBe(
      one.count + other.count,
    );
    const all = (await api("q=lamp")).count;
    expect(await lamps(`NOT storeName:"${store.value}"`)).toBe(all - store.count);
    expect(await lamps(`NOT price > 50`)).toBe((await api("q=lamp&priceRange=[0,50]")).count);
    for (const wrong of [
      "brand:a OR brand:b AND price>1",
      "brand",
      "(brand:a",
      "brand:a)",
      "price!=3",
      "a AND",
    ])
      await expect(lamps(wrong)).rejects.toThrow("is not supported");
  });
});

describe("requests", () => {
  it("are one batch, with a search for each index, also for one without hits", async () => {
    const { results } = await client.search([
      { indexName: "products", params: { query: "lamp", hitsPerPage: 2 } },
      { indexName: "products", params: { query: "lamp", hitsPerPage: 0, numericFilters: ["price>30"] } },
      { indexName: "others/price/desc", params: { query: "mug", hitsPerPage: 2, facets: ["brand"] } },
    ]);
    expect(requested).toHaveLength(1);
    const counts = ["q=lamp", "q=lamp&priceRange=(30,99999]", "q=mug"].map(
      async (query) => (await api(query)).count,
    );
    expect(results.map(({ nbHits }) => nbHits)).toEqual(await Promise.all(counts));
    expect(results.map(({ hits }) => hits.length)).toEqual([2, 0, 2]);
  });

  it("for all facets have their values, and an order for dynamic widgets", async () => {
    const { results } = await client.search([
      { indexName: "products", params: { query: "lamp", facets: ["*"] } },
    ]);
    const facets = results[0]?.facets ?? {};
    expect(Object.keys(facets)).toEqual(
      expect.arrayContaining(["brand", "categoryPaths.lvl0", "onSale", "price"]),
    );
    expect(Object.keys(facets).some((field) => field.startsWith("attributes."))).toBe(true);
    expect(results[0]?.renderingContent?.facetOrdering?.facets.order).toContain("brand");
  });

  it("for values of a facet look through all of them", async () => {
    const inputs = Array.from({ length: 230 }, (_, n) => ({
      ...comma,
      key: `b${n}`,
      brand: `Quill ${n} Works`,
    }));
    await service.stores.catalogStore.apply(inputs);
    await service.indexed();
    expect(await helperOf().searchForFacetValues("brand", "quill 229", 5)).toMatchObject({
      facetHits: [{ value: "Quill 229 Works", count: 1 }],
      exhaustiveFacetsCount: true,
    });
  });

  it("that the service has no time for have no hits, and say so", async () => {
    const message = "Too many requests.";
    const { fake } = clientOf(() => Response.json({ status: "error", message }, { status: 429 }));
    const { results } = await fake.search([
      { indexName: "products", params: { query: "mug", facets: ["brand"] } },
      { indexName: "queries", params: { query: "mug" } },
    ]);
    expect(results).toMatchObject([
      { hits: [], nbHits: 0, query: "mug", error: { status: 429, message }, __isArtificial: true },
      { hits: [] },
    ]);
  });

  it("pass on a redirect, and more than ten searches go in several batches", async () => {
    const { fake, sent } = clientOf((body) =>
      nothingFound(body, { redirectUrl: "https://shop.example/sale" }),
    );
    const { results } = await fake.search(
      Array.from({ length: 12 }, () => ({ indexName: "products", params: {} })),
    );
    expect(sent.map(({ searches }) => searches.length)).toEqual([10, 2]);
    expect(results[11]).toMatchObject({
      redirectUrl: "https://shop.example/sale",
      renderingContent: { redirect: { url: "https://shop.example/sale" } },
      userData: [{ redirect: "https://shop.example/sale" }],
    });
  });

  it("show a part of a description around what was found", async () => {
    const description = `${"word ".repeat(40)}teapot ${"more ".repeat(40)}`;
    const { fake, sent } = clientOf((body) =>
      nothingFound(body, { Products: [{ _id: "p", name: "Pot", description }] }),
    );
    const params = { query: "teapot", attributesToSnippet: ["description:5"], hitsPerPage: 1 };
    const { results } = await fake.search([{ indexName: "products", params }]);
    expect(sent[0]?.searches[0]).toMatchObject({ include: ["highlights", "description"] });
    const value = results[0]?.hits[0]?._snippetResult?.description?.value;
    expect(value).toBe("…word word <em>teapot</em> more more…");
  });
});

describe("suggestions and recommendations", () => {
  it("come from the service's own operations", async () => {
    const { results } = await client.search<{ query: string }>([
      { indexName: "queries", params: { query: "lam" } },
    ]);
    const { queries } = (
      await service.app.inject({
        url: "/api/v1/search/suggestions?q=lam",
        headers: { authorization: `Bearer ${await service.token({ scopes: ["search"] })}` },
      })
    ).json();
    expect(results[0]?.hits.map(({ query }) => query)).toEqual(queries);
    const { fake, sent } = clientOf(() =>
      Response.json({ status: "success", kind: "sameCategory", Products: [{ _id: "p2", name: "Pot" }] }),
    );
    const recommended = await fake.getRecommendations([
      { indexName: "products", model: "related-products", objectID: "p/1", maxRecommendations: 4 },
      { indexName: "products", model: "bought-together", objectID: "p/1" },
    ]);
    expect(sent.flatMap(({ searches }) => searches.map(({ url }) => url))).toEqual([
      "https://service.test/api/v1/products/p%2F1/related?kind=alike&count=4",
      "https://service.test/api/v1/products/p%2F1/related?kind=boughtTogether&count=10",
    ]);
    // What is shown instead of products that were bought together is not.
    expect(recommended.results.map(({ hits }) => hits.map(({ objectID }) => objectID))).toEqual([["p2"], []]);
    const trending = [{ indexName: "products", model: "trending-facets" }];
    await expect(client.getRecommendations(trending)).rejects.toThrow("trending-facets of recommendations");
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
