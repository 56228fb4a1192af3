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
  rejected: [],
  rejectedCount: 0,
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
    ).toEqual({ ...none, status: "success", changed: 2, unchanged: 1, notFound: 2 });
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
        lamp("q", { tags: Array(400_000).fill(1) }),
        lamp("r"),
      ],
    });
    expectDocumented(id, 200, response);
    const message = "is not an object";
    const tooLong = "is longer than 1000000 characters";
    expect(response.json()).toMatchObject({ created: 1, rejectedCount: 6 });
    expect(response.json().rejected).toEqual([
      ...[0, 1, 2, 3].map((index) => ({ index, field: "products", message })),
      { index: 4, key: "p", field: "products", message: tooLong },
      { index: 5, key: "q", field: "products", message: tooLong },
    ]);
  });

  it("refuses a row with values nested too deep alone", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
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

describe("403", () => {
  it("without the scope", async () => {
    const other = await service.token({ scopes: ["search", "webhooks", "merchandising"] });
    expectDocumented(id, 403, await post({ products: [lamp("z")] }, { authorization: `Bearer ${other}` }));
    expect(await stored("z")).toBeUndefined();
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

describe("413", () => {
  it("for a body above the limit", async () => {
    expectDocumented(id, 413, await post({ products: [{ _id: "x".repeat(10 * 1024 * 1024) }] }));
  });
});

describe("415", () => {
  it("for another media type", async () => {
    expectDocumented(id, 415, await post("a,b", { "content-type": "text/csv" }));
  });
});
