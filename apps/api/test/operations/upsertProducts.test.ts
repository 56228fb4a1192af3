import { productId } from "@product-search/core/domain/identity.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "upsertProducts";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["catalog", "search"] });
});
afterAll(() => service.close());

const post = (body: object | string, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: "POST",
    url: "/api/v1/products",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });
const write = async (...products: object[]) => {
  const response = await post({ products });
  expectDocumented(id, 200, response);
  return response.json();
};
const lamp = (key: string, more: object = {}) => ({
  _id: key,
  name: `Lamp ${key}`,
  price: 20,
  url: `https://shop.example/${key}`,
  ...more,
});
const none = {
  created: 0,
  changed: 0,
  unchanged: 0,
  deleted: 0,
  notFound: 0,
  notFoundKeys: [],
  rejected: [],
  rejectedCount: 0,
  ignoredFields: [],
};
const stored = (key: string) => service.stores.catalogStore.findById(productId("catalog", key));

describe("200", () => {
  it("creates, replaces, changes and deletes products, by native names and by Google's", async () => {
    const google = { id: "g", title: "Mug", link: "https://shop.example/g", price: "9.00 USD", color: "Red" };
    expect(await write(lamp("a", { category: "Home > Lamps" }), lamp("b"), google)).toEqual({
      ...none,
      status: "success",
      created: 3,
    });
    expect(await stored("a")).toMatchObject({ categoryPaths: [["Home", "Lamps"]] });
    expect(await stored("g")).toMatchObject({ attributes: { color: ["Red"] }, priceMinor: 900 });
    expect(
      await write(
        lamp("a", { price: 18 }),
        lamp("b"),
        { _id: "g", price: 8, availability: "out_of_stock" },
        { _id: "absent", price: 8 },
        { _id: "absent too", deleted: true },
      ),
    ).toEqual({
      ...none,
      ...{ status: "success", changed: 2, unchanged: 1, notFound: 2, notFoundKeys: ["absent", "absent too"] },
    });
    expect(await stored("g")).toMatchObject({ priceMinor: 800, availability: "out_of_stock", name: "Mug" });
    expect(await write({ _id: "g", deleted: true })).toEqual({ ...none, status: "success", deleted: 1 });
    expect(await stored("g")).toBeUndefined();
  });

  it("refuses a row alone, and names the field", async () => {
    const result = await write(
      lamp("c"),
      lamp("d", { price: "soon" }),
      { name: "x" },
      lamp("e", { url: "ftp://e" }),
    );
    expect(result).toMatchObject({ created: 1, rejectedCount: 3 });
    expect(result.rejected).toMatchObject([
      { index: 1, key: "d", field: "price", message: expect.stringContaining("soon") },
      { index: 2, field: "_id", message: "is missing" },
      { index: 3, key: "e", field: "url" },
    ]);
  });

  it("refuses what is no object, and what is longer than a row of a feed, alone", async () => {
    const long = { description: "x".repeat(1_000_100) };
    const response = await post({
      products: [
        "x",
        5,
        null,
        [lamp("o")],
        lamp("p", long),
        lamp("q", { words: Array(4000).fill("x".repeat(250)) }),
        lamp("u", { words: Array(30_000).fill(1) }),
        lamp("r"),
      ],
    });
    expectDocumented(id, 200, response);
    const message = "is not an object, or one with more than 20000 values";
    const tooLong = "is longer than 1000000 characters";
    expect(response.json()).toMatchObject({ created: 1, rejectedCount: 7 });
    expect(response.json().rejected).toEqual([
      ...[0, 1, 2, 3].map((index) => ({ index, field: "products", message })),
      { index: 4, key: "p", field: "products", message: tooLong },
      { index: 5, key: "q", field: "products", message: tooLong },
      { index: 6, field: "products", message },
    ]);
  });

  it("refuses a row with values nested too deep alone", async () => {
    const deep = `${"[".repeat(15_000)}${"]".repeat(15_000)}`;
    const response = await post(`{"products":[{"_id":"s","deep":${deep}},${JSON.stringify(lamp("t"))}]}`);
    expect(response.json()).toMatchObject({ created: 1, rejected: [{ index: 0, key: "s" }] });
  });

  it("lists at most a hundred refused rows, with the number of all", async () => {
    const result = await write(...Array.from({ length: 130 }, (_, at) => ({ _id: `x${at}`, name: "x" })));
    expect(result.rejected).toHaveLength(100);
    expect(result.rejectedCount).toBe(130);
  });

  it("uses the last valid row of a key", async () => {
    expect(
      await write(lamp("f", { price: 1 }), lamp("f", { price: 2 }), lamp("f", { price: "?" })),
    ).toMatchObject({
      created: 1,
      rejectedCount: 1,
    });
    expect(await stored("f")).toMatchObject({ priceMinor: 200 });
  });

  it("writes into a marketplace", async () => {
    const response = await post({ source: "marketplace-b", products: [lamp("m")] });
    expectDocumented(id, 200, response);
    expect(await service.stores.catalogStore.findById("marketplace-b_m")).toMatchObject({ key: "m" });
  });

  it("is found by searches", async () => {
    await write(lamp("h", { name: "Zanzibar lantern" }));
    await service.indexed();
    const headers = { authorization: `Bearer ${token}` };
    const search = await service.app.inject({ url: "/api/v1/search/catalog?q=zanzibar", headers });
    expect(search.json()).toMatchObject({ count: 1 });
  });

  it("gives the first response again for the same key", async () => {
    const key = { "idempotency-key": "night-1" };
    const first = await post({ products: [lamp("i")] }, key);
    expect(first.json()).toMatchObject({ created: 1 });
    const again = await post({ products: [lamp("i")] }, key);
    expectDocumented(id, 200, again);
    expect(again.json()).toEqual(first.json());
    expect((await post({ products: [lamp("i")] })).json()).toMatchObject({ created: 0, unchanged: 1 });
  });

  it("of a long response, keeps at most 2 kB for repetitions, with the counts", async () => {
    const key = { "idempotency-key": "many faults" };
    const products = Array.from({ length: 100 }, (_, i) => lamp(`fault ${i}`, { price: "cheap" }));
    const first = await post({ products }, key);
    const again = await post({ products }, key);
    expectDocumented(id, 200, again);
    expect(first.json().rejected).toHaveLength(100);
    expect(again.json().rejected.length).toBeGreaterThan(0);
    expect(again.json().rejectedCount).toBe(100);
    expect(Buffer.byteLength(again.body)).toBeLessThanOrEqual(2048);
  });

  it("leaves nothing of prices and deletions of unknown products", async () => {
    const noted: string[] = [];
    const { writtenProducts } = service.ports;
    const note = writtenProducts.note.bind(writtenProducts);
    writtenProducts.note = (ids) => {
      noted.push(...ids);
      return note(ids);
    };
    const rows = [{ id: "unknown 1", price: 1 }, { id: "unknown 2", deleted: true }, lamp("known")];
    expect((await post({ products: rows })).json()).toMatchObject({ notFound: 2, created: 1 });
    expect(noted).toHaveLength(1);
    await post({ products: [{ id: "known", price: 2 }] });
    expect(noted).toHaveLength(2);
    writtenProducts.note = note;
  });
});

describe("200: the names of a product", () => {
  it("takes back what a search and getProduct have returned", async () => {
    await write(lamp("back", { brand: "Acme", originalPrice: 30, tags: ["a"], rank: 2, custom: { b: 1 } }));
    await service.indexed();
    const headers = { authorization: `Bearer ${token}` };
    const search = await service.app.inject({ url: "/api/v1/search/catalog?q=lamp+back", headers });
    const hit = search.json().Products.find(({ key }: { key: string }) => key === "back");
    expect(hit._id).toMatch(/^[0-9a-f]{24}$/);
    const { product } = (await service.app.inject({ url: "/api/v1/products/back", headers })).json();
    expect(await write({ ...hit, custom: { b: 1 } }, product)).toEqual({
      ...none,
      status: "success",
      unchanged: 1,
    });
    expect(await write({ _id: hit._id, price: 25 })).toMatchObject({ changed: 1 });
    expect(await stored("back")).toMatchObject({ priceMinor: 2500, name: "Lamp back" });
    // Written anew after its deletion, its former _id still names it.
    await write({ _id: hit._id, deleted: true });
    expect(await write(hit)).toMatchObject({ created: 1, rejectedCount: 0 });
    expect(await stored("back")).toMatchObject({ key: "back" });
  });

  it("takes an _id that no product has, id and key for the key, and refuses names of different products", async () => {
    const id = "0123456789abcdef01234567";
    expect(
      await write(lamp(id), { id: "n2", ...lamp("n2") }, { ...lamp("n3"), _id: undefined, key: "n3" }),
    ).toMatchObject({ created: 3 });
    expect(await stored(id)).toMatchObject({ key: id });
    const { id: idOfN2 = "" } = (await stored("n2")) ?? {};
    const result = await write(
      { ...lamp(idOfN2), key: "n3" },
      { ...lamp("n4"), id: "n5" },
      { ...lamp("n6"), _id: {} },
    );
    expect(result).toMatchObject({ created: 0, rejectedCount: 3 });
    expect(result.rejected).toMatchObject([
      { index: 0, field: "_id", message: expect.stringContaining("different products") },
      { index: 1, field: "_id", message: expect.stringContaining("different products") },
      { index: 2, field: "_id", message: "is not a string" },
    ]);
    const items = {
      source: "marketplace-a",
      products: [{ ...lamp("marketplace-a_i1"), key: "i1", itemCode: "i1" }],
    };
    expect((await post(items)).json()).toMatchObject({ created: 1 });
  });
});

describe("200: update", () => {
  it("replaces what it has, removes what is null, merges by name and keeps the rest", async () => {
    const whole = {
      ...{
        brand: "Acme",
        originalPrice: 30,
        description: "Warm.",
        images: ["https://a.example/1.jpg"],
        tags: ["old"],
      },
      ...{
        attributes: { Color: "Red", size: "M", cable: "2 m" },
        custom: { badge: "New", days: 3 },
        groupId: "U",
      },
      ...{
        category: "Home > Lamps",
        gtin: "4006381333931",
        rank: 5,
        releasedAt: "2026-01-02",
        averageRating: 4,
        isVerified: true,
      },
    };
    await write(lamp("u", whole));
    const update = {
      ...{ key: "u", update: true, price: 18, tags: ["new"], rank: 0 },
      ...{ attributes: { COLOR: null, size: ["S", "L"], height: 40 }, custom: { days: null, badge: "Sale" } },
      ...{ gtin: null, groupId: null, releasedAt: null, isVerified: null },
    };
    expect(await write(update)).toEqual({ ...none, status: "success", changed: 1 });
    const product = await stored("u");
    expect(product).toMatchObject({
      ...{ name: "Lamp u", brand: "Acme", priceMinor: 1800, originalPriceMinor: 3000, description: "Warm." },
      ...{ images: ["https://a.example/1.jpg"], tags: ["new"], rank: 0, averageRating: 4, isVerified: false },
      ...{ attributes: { size: ["S", "L"], cable: ["2 m"], height: ["40"] }, custom: '{"badge":"Sale"}' },
      ...{ categoryPaths: [["Home", "Lamps"]] },
    });
    for (const field of ["gtin", "groupId", "releasedAtMs"]) expect(product).not.toHaveProperty(field);
    await write({
      id: "u",
      update: true,
      originalPrice: null,
      category: "Floor",
      attributes: null,
      custom: null,
      images: null,
      description: null,
    });
    const bare = await stored("u");
    expect(bare).toMatchObject({ category: "Floor", images: [], description: "", brand: "Acme" });
    for (const field of ["originalPriceMinor", "categoryPaths", "attributes", "custom"])
      expect(bare).not.toHaveProperty(field);
  });

  it("takes Google's names", async () => {
    await write(lamp("ug", { attributes: { color: "Red", size: "M" } }));
    await write({
      id: "ug",
      title: "Other",
      color: "Blue",
      size: null,
      image_link: "https://a.example/2.jpg",
      update: true,
    });
    expect(await stored("ug")).toMatchObject({
      ...{
        name: "Other",
        attributes: { color: ["Blue"] },
        images: ["https://a.example/2.jpg"],
        priceMinor: 2000,
      },
    });
  });

  it("creates nothing, and refuses what every product needs, by name", async () => {
    await write(lamp("v"));
    const result = await write(
      lamp("unknown", { update: true }),
      { key: "v", update: true, name: null },
      { key: "v", update: true, price: null },
      { key: "v", update: true, url: null },
      { key: "v", update: "yes", price: 1 },
      { key: "v", update: true },
      { key: "v", update: true, custom: { long: "ä".repeat(2100) } },
      { key: "v", update: true, rank: "high" },
      { key: "v", update: true, releasedAt: "2026-02-31" },
    );
    expect(result).toMatchObject({
      created: 0,
      changed: 0,
      notFound: 1,
      notFoundKeys: ["unknown"],
      rejectedCount: 8,
    });
    expect(result.rejected.map(({ field }: { field: string }) => field)).toEqual([
      ...["name", "price", "url", "update", "price", "custom", "rank", "releasedAt"],
    ]);
    const half = { text: "x".repeat(2500) };
    await write({ key: "v", update: true, custom: { a: half } });
    expect((await write({ key: "v", update: true, custom: { b: half } })).rejected).toMatchObject([
      { field: "custom" },
    ]);
    expect(await stored("unknown")).toBeUndefined();
  });
});

describe("200: groups", () => {
  const member = (key: string, groupId: string) => lamp(key, { groupId });
  const keysOf = async (group: string) =>
    (await service.stores.catalogStore.findGroup("catalog", group, 2000)).map(({ key }) => key);

  it("deletes a group", async () => {
    await write(member("d1", "D"), member("d2", "D"));
    expect(await write({ groupId: "D", deleted: true }, { groupId: "nobody", deleted: true })).toEqual({
      ...none,
      ...{ status: "success", deleted: 2, notFound: 1, notFoundKeys: ["nobody"] },
    });
    expect(await keysOf("D")).toEqual([]);
  });

  it("replaces groups: what has no row goes, a refused row keeps its product", async () => {
    await write(
      ...["r1", "r2", "r3"].map((key) => member(key, "R")),
      member("s1", "S"),
      member("t1", "T"),
      member("t2", "T"),
    );
    const products = [
      member("r1", "R"),
      { ...member("r2", "R"), price: "?" },
      member("r4", "R"),
      // Without a key, it may be any of its group.
      { ...member("x", "T"), _id: null, price: "?" },
      member("t1", "T"),
    ];
    const response = await post({ products, replaceGroups: true });
    expectDocumented(id, 200, response);
    expect(response.json()).toMatchObject({ created: 1, deleted: 1, unchanged: 2, rejectedCount: 2 });
    expect(await keysOf("R")).toEqual(["r1", "r2", "r4"]);
    expect(await keysOf("S")).toEqual(["s1"]);
    expect(await keysOf("T")).toEqual(["t1", "t2"]);
  });

  it("refuses to delete or replace a group of over 1000", async () => {
    const large = Array.from({ length: 1001 }, (_, at) => member(`l${at}`, "L"));
    await write(...large.slice(0, 1000));
    await write(...large.slice(1000));
    for (const products of [[{ groupId: "L", deleted: true }], [lamp("l1", { groupId: "L", price: 1 })]]) {
      const { rejected, deleted, changed } = (await post({ products, replaceGroups: true })).json();
      expect({ deleted, changed }).toEqual({ deleted: 0, changed: 0 });
      expect(rejected).toMatchObject([
        { index: 0, field: "groupId", message: expect.stringContaining("1000") },
      ]);
    }
    expect(await keysOf("L")).toHaveLength(1001);
  });
});

describe("200: what is refused or ignored by name", () => {
  it.each([
    ["currency", { currency: "EUR" }],
    ["priceCurrency", { priceCurrency: "EUR" }],
    ["price", { price: 0.004 }],
    ["originalPrice", { originalPrice: 0.001 }],
    ["url", { url: "https://user:secret@shop.example/x" }],
    ["deleted", { deleted: "yes" }],
    ["deleted", { deleted: false }],
    ["deleted", { deleted: 1 }],
    ["custom", { custom: ["a"] }],
    ["custom", { custom: { long: "x".repeat(4100) } }],
    ["tags", { tags: [{}] }],
    ["unknown0", Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`unknown${at}`, 1]))],
  ])("refuses %s in %j", async (field, more) => {
    const { rejected } = await write(lamp("w", more));
    expect(rejected).toMatchObject([{ index: 0, key: "w", field }]);
    expect(await stored("w")).toBeUndefined();
  });

  it("says which images are never fetched, and keeps their products", async () => {
    const images = [
      "https://cdn.example/a.jpg",
      "http://192.168.1.7/a.jpg",
      "http://nas.local/b.jpg",
      "http://[::1]/c.jpg",
    ];
    const response = await write(lamp("private", { images }), lamp("public", { images: images.slice(0, 1) }));
    expect(response).toEqual({ ...none, status: "success", created: 2, unfetchableImages: images.slice(1) });
    expect(await stored("private")).toMatchObject({ images });
  });

  it("lists at most fifty fields that it does not know, once", async () => {
    const others = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`other${at}`, 1]));
    const { ignoredFields, created } = await write(
      lamp("w1", { weight: 5, position: 3, slug: "x", currency: "usd", priceCurrency: "USD" }),
      lamp("w2", { weight: 6, __proto: 1 }),
      { id: "w3", title: "x", link: "https://a.example/", price: 1, shipping_weight: "3 kg" },
    );
    expect({ created, ignoredFields }).toEqual({
      created: 3,
      ignoredFields: ["weight", "__proto", "shipping_weight"],
    });
    expect((await write(lamp("w4", others))).ignoredFields).toHaveLength(50);
  });

  it("keeps the name of a prototype from refusing other rows", async () => {
    const row = JSON.stringify(lamp("w5")).slice(1, -1);
    const text = `{"products":[{${row},"__proto__":{"price":1},"constructor":{"prototype":{}},"attributes":{"__proto__":"x"}}]}`;
    const response = await post(text);
    expectDocumented(id, 200, response);
    expect(response.json()).toMatchObject({ created: 1, ignoredFields: ["__proto__", "constructor"] });
    const update = `{"products":[{"key":"w5","update":true,"attributes":{"__proto__":null,"constructor":"y"},"custom":{"__proto__":{"a":1}}}]}`;
    expect((await post(update)).json()).toMatchObject({ changed: 1 });
    const { attributes, custom } = (await stored("w5")) ?? {};
    expect({ attributes, custom }).toEqual({
      attributes: { constructor: ["y"] },
      custom: '{"__proto__":{"a":1}}',
    });
  });
});

describe("400", () => {
  it.each([
    ["no rows", { products: [] }, /products/],
    ["too many rows", { products: Array.from({ length: 1001 }, () => ({})) }, /products/],
    ["an unknown source", { source: "elsewhere", products: [{}] }, /source/],
    ["an unknown field", { products: [{}], mode: "full" }, /mode/],
  ])("for %s", async (_, body, message) => {
    expectInvalid(id, message, await post(body));
  });
});

describe("409", () => {
  it("for a key that was used with other rows", async () => {
    const key = { "idempotency-key": "night-2" };
    await post({ products: [lamp("j")] }, key);
    const response = await post({ products: [lamp("k")] }, key);
    expectDocumented(id, 409, response);
    expect(response.json().code).toBe("idempotency_mismatch");
    expect(await stored("k")).toBeUndefined();
  });
});
