import { createFairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import { bareProduct, fakeMug, fakeMugs } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "searchCatalog";
const url = "/api/v1/search/catalog";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["search"] });
  await service.stores.catalogStore.apply([
    ...fakeMugs("catalog", 45),
    fakeMug("catalog", 60, {
      name: "Teapot of glass",
      brand: "Smith, Wesson",
      category: "Teapots",
      storeName: "Café Zürich",
      priceMinor: 3000,
      averageRating: 4.4,
    }),
    fakeMug("catalog", 61, {
      name: "Teapot of iron",
      brand: "Noctis",
      category: "Teapots",
      priceMinor: 4500,
      averageRating: 3,
      availability: "preorder",
      gtin: "00012345678905",
      originalPriceMinor: 5000,
      attributes: { color: ["Black", "Navy"] },
    }),
    fakeMug("catalog", 62, {
      name: "Kettle of iron",
      brand: "NOCTIS",
      category: "Kettles",
      priceMinor: 9000,
    }),
    fakeMug("catalog", 63, {
      name: "Cheap Monday jug",
      category: "Jugs",
      priceMinor: 8000,
    }),
    fakeMug("catalog", 64, { name: "Jug of clay", category: "Jugs", priceMinor: 2000 }),
    fakeMug("marketplace-a", 100),
    fakeMug("marketplace-b", 200, { name: "Teapot", brand: "Elsewhere" }),
  ]);
  await service.indexed();
});
afterAll(() => service.close());

const search = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  service.app.inject({ url, query, headers: { authorization: `Bearer ${token}`, ...headers } });
const body = async (query: Record<string, string>) => {
  const response = await search(query);
  expectDocumented(id, 200, response);
  return response.json();
};
const names = async (query: Record<string, string>): Promise<string[]> =>
  (await body(query)).Products.map(({ name }: { name: string }) => name).toSorted();

describe("200", () => {
  it("applies filters in the text, and returns them", async () => {
    expect(await body({ q: "mug under $13" })).toMatchObject({
      count: 3,
      understood: { priceRange: { maxPrice: 13 } },
    });
    expect(await body({ q: "4 stars" })).toMatchObject({ count: 1, understood: { minRating: 4 } });
    expect(await names({ q: "teapot not iron" })).toEqual(["Teapot of glass"]);
    expect(await body({ q: "neither mug nor teapot", brands: "Noctis" })).toMatchObject({
      Products: [{ name: "Kettle of iron" }],
      understood: { without: ["mug", "teapot"] },
    });
  });

  it("reads bounds in a unit that an attribute has, and returns them", async () => {
    const other = await createTestService();
    await other.stores.catalogStore.apply([
      bareProduct("tall", { name: "Zither lamp", attributes: { height: ["30 cm"] } }),
      bareProduct("low", { name: "Zither lamp", attributes: { height: ["150 mm"] } }),
      bareProduct("unknown", { name: "Zither lamp" }),
    ]);
    await other.indexed();
    const headers = { authorization: `Bearer ${await other.token({ scopes: ["search"] })}` };
    const find = async (path: string) =>
      (await other.app.inject({ url: `/api/v1/search/${path}`, headers })).json();
    const keys = ({ Products }: { Products: { key: string }[] }) => Products.map(({ key }) => key);
    const over = await find("catalog?q=zither+lamp+over+20+cm");
    expect(over).toMatchObject({ count: 1, understood: { ranges: [{ unit: "cm", min: 20 }] } });
    expect(keys(over)).toEqual(["tall"]);
    expect(keys(await find("catalog?q=zither+lamp+up+to+0.2+m"))).toEqual(["low"]);
    expect(keys(await find("trial?q=zither+lamp+under+20cm"))).toEqual(["low"]);
    // No attribute has kilograms.
    expect(await find("catalog?q=zither+lamp+up+to+5+kg")).not.toHaveProperty("understood");
    expect(await find("catalog?q=zither+lamp+over+20+cm&literal=true")).not.toHaveProperty("understood");
    await other.close();
  });

  it("sorts by an order in the text, and returns it", async () => {
    const cheap = await body({ q: "cheap teapot" });
    expect(cheap.Products.map(({ name }: { name: string }) => name)).toEqual([
      "Teapot of glass",
      "Teapot of iron",
    ]);
    expect(cheap).toMatchObject({ count: 2, understood: { sort: "price", order: "asc" } });
    expect(cheap).not.toHaveProperty("ignoredWords");
    const expensive = await body({ q: "most expensive teapot", order: "asc" });
    expect(expensive).toMatchObject({
      Products: [{ name: "Teapot of iron" }, { name: "Teapot of glass" }],
      understood: { sort: "price", order: "desc" },
    });
    expect(await body({ q: "top rated teapot over $20" })).toMatchObject({
      Products: [{ name: "Teapot of glass" }, { name: "Teapot of iron" }],
      understood: { sort: "rating", order: "desc", priceRange: { minPrice: 20 } },
    });
  });

  it("prefers the parameter sort to an order in the text, and reads none in a literal text", async () => {
    const chosen = await body({ q: "cheap teapot", sort: "price", order: "desc" });
    expect(chosen).toMatchObject({ count: 2, Products: [{ name: "Teapot of iron" }, {}] });
    expect(chosen).not.toHaveProperty("understood");
    expect(chosen).not.toHaveProperty("ignoredWords");
    const relevant = await body({ q: "cheap teapot", sort: "relevance" });
    expect(relevant).toMatchObject({ count: 2 });
    expect(relevant).not.toHaveProperty("understood");
    const literal = await body({ q: "cheap teapot", literal: "true" });
    expect(literal).not.toHaveProperty("understood");
  });

  it("ignores filters in the text for which there is a parameter, and all in quotation marks or a literal text", async () => {
    const ranged = await body({ q: "mug under $13", priceRange: "[13,15]" });
    expect(ranged).toMatchObject({ count: 3 });
    const rated = await body({ q: "teapot 4 stars", minRating: "2" });
    expect(rated).toMatchObject({ count: 2 });
    for (const found of [
      ranged,
      rated,
      await body({ q: '"teapot"' }),
      await body({ q: "mug", literal: "true" }),
    ])
      expect(found).not.toHaveProperty("understood");
    expect(await names({ q: "teapot not iron", literal: "true" })).not.toEqual(["Teapot of glass"]);
  });

  it("returns the first twenty products of the catalog only, and the exact total", async () => {
    const found = await body({ q: "mug" });
    expect(found).toMatchObject({ count: 45, page: 1, limit: 20, hasMore: true });
    expect(found.Products).toHaveLength(20);
    expect(Object.keys(found).toSorted()).toEqual([
      "Products",
      "count",
      "hasMore",
      "limit",
      "page",
      "status",
    ]);
  });

  it("returns every product once over all pages", async () => {
    const slugs: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const found = await body({ q: "mug", count: "15", page: String(page) });
      expect(found).toMatchObject({ count: 45, page, limit: 15, hasMore: page < 3 });
      slugs.push(...found.Products.map(({ slug }: { slug: string }) => slug));
    }
    expect(slugs).toHaveLength(45);
    expect(new Set(slugs).size).toBe(45);
  });

  it("ends at the window of 10 000 products", async () => {
    expect(await body({ q: "mug", count: "250", page: "40" })).toMatchObject({
      Products: [],
      hasMore: false,
    });
  });

  it("returns complete products", async () => {
    const { Products } = await body({ q: "teapot of glass", count: "1" });
    expect(Products).toEqual([
      expect.objectContaining({
        price: 30,
        averageRating: 4.4,
        priceHistory: [expect.objectContaining({ price: 30 })],
      }),
    ]);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ["a brand, in any case", { brands: "noctis" }, ["Kettle of iron", "Teapot of iron"]],
    ["a brand with a comma", { brands: "Smith\\, Wesson" }, ["Teapot of glass"]],
    [
      "several brands",
      { brands: "smith\\, wesson,NOCTIS", categories: "teapots" },
      ["Teapot of glass", "Teapot of iron"],
    ],
    ["a store, without accents", { stores: "cafe zurich" }, ["Teapot of glass"]],
    ["a rating", { minRating: "4.4" }, ["Teapot of glass"]],
    [
      "a price range",
      { priceRange: "[45,90]", categories: "teapots,kettles" },
      ["Kettle of iron", "Teapot of iron"],
    ],
    ["availability", { availability: "preorder,backorder" }, ["Teapot of iron"]],
    ["a reduced price", { onSale: "true" }, ["Teapot of iron"]],
    [
      "no brand of a list",
      { categories: "teapots,kettles", notBrands: "smith\\, wesson" },
      ["Kettle of iron", "Teapot of iron"],
    ],
    ["no category of a list", { q: "iron", notCategories: "kettles" }, ["Teapot of iron"]],
    ["no store of a list", { categories: "teapots", notStores: "cafe zurich" }, ["Teapot of iron"]],
    [
      "no attribute of a list",
      { categories: "teapots", notAttributes: "color:navy,size:M" },
      ["Teapot of glass"],
    ],
    ["a brand that is also excluded", { brands: "noctis", notBrands: "noctis" }, []],
    ["a discount that nothing has", { minDiscount: "1" }, []],
    ["words and a filter", { q: "iron", categories: "teapots" }, ["Teapot of iron"]],
    ["a brand of a marketplace only", { brands: "Elsewhere" }, []],
  ])("filters by %s", async (_, query, expected) => {
    expect(await names(query)).toEqual(expected);
    expect((await body(query)).count).toBe(expected.length);
  });

  it.each<[string, string, string[]]>([
    [
      "each time one name",
      "brands=Smith, Wesson&brands=Noctis",
      ["Kettle of iron", "Teapot of glass", "Teapot of iron"],
    ],
    ["a name with an escaped comma", "brands=Smith\\, Wesson&brands=nobody", ["Teapot of glass"]],
    [
      "not divided at commas",
      "categories=Kettles,Jugs&categories=Teapots",
      ["Teapot of glass", "Teapot of iron"],
    ],
    ["availability", "availability=preorder&availability=backorder", ["Teapot of iron"]],
  ])("takes a list that is sent several times: %s", async (_, query, expected) => {
    const response = await service.app.inject({
      url: `${url}?${encodeURI(query)}`,
      headers: { authorization: `Bearer ${token}` },
    });
    expectDocumented(id, 200, response);
    expect(
      response
        .json()
        .Products.map(({ name }: { name: string }) => name)
        .toSorted(),
    ).toEqual(expected);
  });

  it("filters by ranges of attributes, shows and sorts by their numbers", async () => {
    await service.stores.catalogStore.apply(
      [
        ["Vessel one", "1 l", 20],
        ["Vessel two", "1700 ml", 5],
        ["Vessel three", "2.5 l", undefined],
        ["Vessel four", undefined, 1],
      ].map(([name = "", capacity, rank], at) =>
        fakeMug("catalog", 300 + at, {
          name: String(name),
          brand: "Vessels",
          ...(capacity !== undefined && {
            attributes: { capacity: [String(capacity)], finish: [`matt ${at}`] },
          }),
          ...(rank !== undefined && { rank: Number(rank), releasedAtMs: Number(rank) }),
        }),
      ),
    );
    await service.indexed();
    const found = (query: Record<string, string>) => names({ brands: "vessels", ...query });
    expect(await found({ ranges: "capacity:[1,2]" })).toEqual(["Vessel one", "Vessel two"]);
    expect(await found({ ranges: "Capacity:(1,2.5)" })).toEqual(["Vessel two"]);
    expect(await found({ ranges: "capacity:[1.1l,1800 ml]" })).toEqual(["Vessel two"]);
    expect(await found({ ranges: "capacity:[,1],finish:[0,]" })).toEqual([]);
    expect(await found({ ranges: "capacity:[2kg,]" })).toEqual([]);
    const { facets } = await body({
      brands: "vessels",
      ranges: "capacity:[2,]",
      facets: "attributes.capacity,attributes.finish",
    });
    expect(facets.attributeRanges).toEqual({ capacity: { min: 1, max: 2.5, unit: "l" } });
    const sorted = async (sort: string, order?: string) =>
      (await body({ brands: "vessels", sort, ...(order !== undefined && { order }) })).Products.map(
        ({ name }: { name: string }) => name.replace("Vessel ", ""),
      );
    expect(await sorted("attributes.capacity")).toEqual(["three", "two", "one", "four"]);
    expect(await sorted("attributes.Capacity", "asc")).toEqual(["one", "two", "three", "four"]);
    expect(await sorted("rank")).toEqual(["one", "two", "four", "three"]);
    expect(await sorted("newest", "asc")).toEqual(["four", "two", "one", "three"]);
    expectInvalid(
      id,
      /^sort: the values of the attribute finish are not numbers/,
      await search({ q: "mug", sort: "attributes.finish" }),
    );
  });

  it("sorts all matches, by ascending price by default", async () => {
    const prices = async (query: Record<string, string>) =>
      (await body({ q: "mug", count: "3", ...query })).Products.map(({ price }: { price: number }) => price);
    expect(await prices({ sort: "price" })).toEqual([11, 12, 13]);
    expect(await prices({ sort: "price:relevance", order: "desc" })).toEqual([55, 54, 53]);
  });

  it("counts the requested facets, each without its own filter", async () => {
    const { facets, count } = await body({
      q: "of",
      brands: "noctis",
      categories: "teapots",
      facets: "brands,categories,price,rating,onSale",
    });
    expect(count).toBe(1);
    expect(facets).toEqual({
      brands: [
        { value: "Noctis", count: 1 },
        { value: "Smith, Wesson", count: 1 },
      ],
      categories: [
        { value: "Kettles", count: 1 },
        { value: "Teapots", count: 1 },
      ],
      price: [{ from: 40, to: 49.99, count: 1 }],
      rating: [{ from: 3, to: 5, count: 1 }],
      onSale: [{ value: "true", count: 1 }],
    });
  });

  it("returns an empty list for a facet without values", async () => {
    const { facets } = await body({ brands: "nobody", facets: "stores,price" });
    expect(facets).toEqual({ stores: [], price: [] });
  });

  it("returns corrected and ignored words", async () => {
    expect(await body({ q: "teapto of glass" })).toMatchObject({ correctedQuery: "teapot of glass" });
    expect(await body({ q: "teapot xqzvw" })).toMatchObject({ ignoredWords: ["xqzvw"] });
    expect(await body({ q: "teapot xqzvw", brands: "nobody" })).toMatchObject({
      count: 0,
      ignoredWords: ["xqzvw"],
    });
    // Here it is the thing, which is never ignored.
    const nothing = await body({ q: "xqzvw" });
    expect(nothing).toMatchObject({ count: 0 });
    expect(nothing).not.toHaveProperty("ignoredWords");
  });

  it("shows related products on the first page only, outside the count", async () => {
    const withRelated = await createTestService({
      ports: (ports) => ({
        ...ports,
        textSearch: {
          ...ports.textSearch,
          search: async (query, signal) => {
            const hits = await ports.textSearch.search(query, signal);
            const rows = await ports.textSearch.search({ ...query, text: "kettle" }, signal);
            return { ...hits, relatedRowIds: rows.rowIds.slice(0, query.relatedCount ?? 0) };
          },
        },
      }),
    });
    await withRelated.stores.catalogStore.apply([
      fakeMug("catalog", 1, { name: "Teapot" }),
      fakeMug("catalog", 2, { name: "Kettle" }),
    ]);
    await withRelated.indexed();
    const headers = { authorization: `Bearer ${await withRelated.token()}` };
    const first = await withRelated.app.inject({ url, query: { q: "teapot" }, headers });
    const second = await withRelated.app.inject({ url, query: { q: "teapot", page: "2" }, headers });
    await withRelated.close();
    expectDocumented(id, 200, first);
    expect(first.json()).toMatchObject({ count: 1, related: [{ name: "Kettle" }] });
    expect(second.json()).not.toHaveProperty("related");
  });
});

describe("200: attributes, category trees and variants", () => {
  let shop: TestService;
  let headers: Record<string, string>;
  beforeAll(async () => {
    shop = await createTestService();
    headers = { authorization: `Bearer ${await shop.token({ scopes: ["search"] })}` };
    const shirt = (n: number, color: string, size: string, over: object = {}) =>
      fakeMug("catalog", n, {
        name: `Shirt ${n}`,
        brand: "Nordic",
        groupId: "shirt",
        attributes: { color: [color], size: [size] },
        category: "Shirts",
        categoryPaths: [["Clothes", "Tops", "Shirts"], ["Gifts"]],
        priceMinor: 2000 + n,
        ...over,
      });
    await shop.stores.catalogStore.apply([
      shirt(1, "Black", "M"),
      shirt(2, "Navy", "M", { description: "A <shirt> in navy." }),
      shirt(3, "Navy", "L"),
      shirt(4, "Red, dark", "M", { groupId: "other", availability: "preorder" }),
      fakeMug("catalog", 5, { category: "Mugs", attributes: { color: ["Black"] } }),
    ]);
    await shop.indexed();
  });
  afterAll(() => shop.close());
  const ask = async (query: Record<string, string>) => {
    const response = await shop.app.inject({ url, query, headers });
    expectDocumented(id, 200, response);
    return response.json();
  };

  it.each<[string, Record<string, string>, number]>([
    ["a value, whatever its case", { attributes: "Color:NAVY" }, 2],
    ["one of several values and of each name", { attributes: "color:Black,color:Navy,size:M" }, 2],
    ["a value with a comma", { attributes: "color:red\\, dark" }, 1],
    ["a level of a path", { categories: "tops" }, 4],
    ["a path and everything below it", { categories: "Clothes > Tops" }, 4],
  ])("filters by %s", async (_, query, count) => {
    expect(await ask(query)).toMatchObject({ count });
  });

  it("counts attributes, paths and availability, each without its own filter", async () => {
    const { facets } = await ask({
      q: "shirt",
      attributes: "color:Navy",
      facets: "attributes,attributes.material,categoryPaths,availability",
    });
    expect(facets).toEqual({
      attributes: {
        color: [
          { value: "Navy", count: 2 },
          { value: "Black", count: 1 },
          { value: "Red, dark", count: 1 },
        ],
        size: [
          { value: "L", count: 1 },
          { value: "M", count: 1 },
        ],
        material: [],
      },
      categoryPaths: [
        { value: "Clothes", count: 2 },
        { value: "Clothes > Tops", count: 2 },
        { value: "Clothes > Tops > Shirts", count: 2 },
        { value: "Gifts", count: 2 },
      ],
      availability: [{ value: "in_stock", count: 2 }],
    });
  });

  it("returns few values of a facet, or those that begin as typed", async () => {
    expect((await ask({ q: "shirt", facets: "categoryPaths", maxFacetValues: "1" })).facets).toEqual({
      categoryPaths: [{ value: "Clothes", count: 4 }],
    });
    const typed = { q: "shirt", facets: "brands,attributes.color", facetQuery: "attributes.color:NA" };
    expect((await ask(typed)).facets).toEqual({
      brands: [{ value: "Nordic", count: 4 }],
      attributes: { color: [{ value: "Navy", count: 2 }] },
    });
  });

  it("groups variants: the best that matches is the hit, and groups are counted", async () => {
    const query = { q: "shirt", grouped: "true", sort: "price", facets: "attributes.color,availability" };
    const all = await ask(query);
    expect(all).toMatchObject({
      count: 2,
      hasMore: false,
      Products: [
        { name: "Shirt 1", variantCount: 3, variantPrices: { min: 20.01, max: 20.03 } },
        { name: "Shirt 4", variantCount: 1, variantPrices: { min: 20.04, max: 20.04 } },
      ],
      facets: {
        attributes: {
          color: [
            { value: "Black", count: 1 },
            { value: "Navy", count: 1 },
            { value: "Red, dark", count: 1 },
          ],
        },
        availability: [
          { value: "in_stock", count: 1 },
          { value: "preorder", count: 1 },
        ],
      },
    });
    expect(all.Products[0]).not.toHaveProperty("variants");
    const navy = await ask({ ...query, attributes: "color:navy", include: "variants" });
    expect(navy).toMatchObject({ count: 1, Products: [{ name: "Shirt 2", variantCount: 2 }] });
    const sizes = navy.Products[0].variants.map(({ attributes }: { attributes: object }) => attributes);
    expect(sizes).toEqual(
      expect.arrayContaining([
        { color: ["Navy"], size: ["M"] },
        { color: ["Navy"], size: ["L"] },
      ]),
    );
  });

  it("includes descriptions and highlights if asked", async () => {
    const query = { q: "navy shirts", attributes: "size:M" };
    const { Products } = await ask({ ...query, include: "description,highlights" });
    expect(Products[0]).toMatchObject({
      description: "A <shirt> in navy.",
      highlights: {
        name: "<mark>Shirt</mark> 2",
        description: "A &lt;<mark>shirt</mark>&gt; in <mark>navy</mark>.",
      },
    });
    const [plain] = (await ask(query)).Products;
    expect(plain).not.toHaveProperty("highlights");
    expect(plain).not.toHaveProperty("description");
  });
});

describe("400", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["nothing to search for", {}, /^q: is missing, and so is every filter/],
    ["nothing but sorting and facets", { sort: "price", facets: "brands" }, /^q: is missing/],
    ["a blank q", { q: " ", brands: "noctis" }, /^q:/],
    ["a q of 513 characters", { q: "a".repeat(513) }, /^q:/],
    ["a count of 0", { q: "mug", count: "0" }, /^count:/],
    ["a count of 251", { q: "mug", count: "251" }, /^count:/],
    ["a count that is no whole number", { q: "mug", count: "1.5" }, /^count:/],
    ["a page of 0", { q: "mug", page: "0" }, /^page:/],
    ["a page beyond the window", { q: "mug", count: "250", page: "41" }, /^page:.*last page is 40/],
    ["an unknown sort", { q: "mug", sort: "oldest" }, /^sort:.*relevance/],
    ["a sort by an unknown attribute", { q: "mug", sort: "attributes.nothing" }, /^sort:.*nothing/],
    ["a range without a bound", { ranges: "capacity:[,]" }, /^ranges: "capacity:\[,\]"/],
    [
      "a range without brackets",
      { ranges: "capacity:1,2" },
      /^ranges: "capacity:1,2" is not a name and a range/,
    ],
    ["a range that is no number", { ranges: "capacity:[few,many]" }, /^ranges:/],
    ["ranges after one another without a comma", { ranges: "a:[1,2]b:[1,2]" }, /^ranges:/],
    [
      "an upside-down range of an attribute",
      { ranges: "capacity:[2,1]" },
      /^ranges: the least value 2 of capacity/,
    ],
    ["two ranges of an attribute", { ranges: "a:[1,2],a:[3,4]" }, /^ranges: has a twice/],
    [
      "more than 20 attributes and ranges",
      { attributes: Array.from({ length: 19 }, (_, n) => `a${n}:b`).join(), ranges: "x:[1,],y:[1,]" },
      /^ranges: with attributes, names 21/,
    ],
    ["an upside-down range", { q: "mug", priceRange: "[5,1]" }, /^priceRange:.*above/],
    ["an empty list", { brands: "" }, /^brands:/],
    ["an empty name", { q: "mug", stores: "a,,b" }, /^stores: is too short/],
    [
      "an excluded attribute without a value",
      { q: "mug", notAttributes: "color" },
      /^notAttributes: "color"/,
    ],
    ["an empty list of excluded brands", { q: "mug", notBrands: "" }, /^notBrands:/],
    ["onSale that is neither true nor false", { onSale: "yes" }, /^onSale:.*true or false/],
    ["onSale=false as the only filter", { onSale: "false" }, /^q: is missing, and so is every filter/],
    ["an unknown availability", { availability: "in_stock,sold" }, /^availability:.*out_of_stock/],
    ["an unknown facet", { q: "mug", facets: "brands,colours" }, /^facets: "colours".*categories/],
    ["a facet without a name", { q: "mug", facets: "attributes." }, /^facets: "attributes\."/],
    ["a rating above 5", { minRating: "5.1" }, /^minRating:.*from 0 to 5/],
    ["a rating that is no number", { minRating: "good" }, /^minRating:/],
    ["a discount above 100", { minDiscount: "101" }, /^minDiscount:/],
    [
      "an attribute without a value",
      { attributes: "color" },
      /^attributes: "color" is not a name and a value/,
    ],
    [
      "more than 20 attributes",
      { attributes: Array.from({ length: 21 }, (_, n) => `a${n}:b`).join() },
      /^attributes: has 21 names/,
    ],
    ["too many values of a facet", { q: "mug", maxFacetValues: "201" }, /^maxFacetValues:/],
    ["a facetQuery without facets", { q: "mug", facetQuery: "brands:n" }, /^facetQuery: needs facets/],
    [
      "a facetQuery of another facet",
      { q: "mug", facets: "stores", facetQuery: "brands:n" },
      /^facetQuery: names the facet brands/,
    ],
    [
      "a facetQuery of a facet without names",
      { q: "mug", facets: "price", facetQuery: "price:1" },
      /^facetQuery:/,
    ],
    ["an unknown field", { q: "mug", include: "reviews" }, /^include:/],
    [
      "more than 1000 names",
      { brands: Array.from({ length: 1001 }, () => "a").join() },
      /^brands: has 1001 entries/,
    ],
  ])("with %s", async (_, query, message) => {
    expectInvalid(id, message, await search(query));
  });
});

describe("503", () => {
  it("when it would wait too long for the requests of others", async () => {
    const other = await createTestService({ queue: createFairQueue({ sliceMs: 0, maxWaiting: 0 }) });
    try {
      const headers = { authorization: `Bearer ${await other.token()}` };
      const response = await other.app.inject({ url, query: { q: "mug" }, headers });
      expectDocumented(id, 503, response);
      expect(response.headers["retry-after"]).toBe("1");
    } finally {
      await other.close();
    }
  });
});
