import { operations } from "@product-search/spec/operations";
import { fakeMug, fakeMugs } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { specDocument } from "@product-search/testing/spec-document.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "searchCatalogBatch";
const url = "/api/v1/search/batch";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService({
    environment: { TOKEN_RATE_LIMIT: "20/60", PUBLIC_RATE_LIMIT: "5/60" },
  });
  await service.stores.catalogStore.apply([
    ...fakeMugs("catalog", 12),
    fakeMug("catalog", 60, {
      name: "Teapot",
      brand: "Smith, \\Wesson",
      attributes: { material: ["Glass, blown: thin\\"] },
    }),
  ]);
  await service.indexed();
  token = await service.token({ scopes: ["search"] });
});
afterAll(() => service.close());

const send = (payload: unknown, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: "POST",
    url,
    payload: JSON.stringify(payload),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
  });
const fresh = async (options: Parameters<TestService["token"]>[0] = {}) => ({
  authorization: `Bearer ${await service.token({ scopes: ["search"], ...options })}`,
});

describe("200", () => {
  it("returns what each search returns by itself, in their order", async () => {
    const searches = [
      { q: "mug", count: 3, page: 2, sort: "price", facets: ["brands", "price"] },
      { q: "mug", priceRange: "[11,13]", grouped: true },
    ];
    const headers = await fresh();
    const response = await send({ searches }, headers);
    expectDocumented(id, 200, response);
    const alone = await Promise.all(
      ["q=mug&count=3&page=2&sort=price&facets=brands,price", "q=mug&priceRange=[11,13]&grouped=true"].map(
        async (query) =>
          (await service.app.inject({ url: `/api/v1/search/catalog?${query}`, headers })).json(),
      ),
    );
    expect(response.json()).toEqual({ status: "success", results: alone });
    expect(response.headers.ratelimit).toContain("r=18;");
  });

  it("takes entries of lists as they are", async () => {
    const searches = [
      { brands: ["Smith, \\Wesson"], facets: ["attributes.material"] },
      { attributes: ["material:Glass, blown: thin\\"] },
      { q: "teapot", notBrands: ["Smith, \\Wesson"] },
    ];
    const response = await send({ searches }, await fresh());
    expect(response.json().results.map(({ count }: { count: number }) => count)).toEqual([1, 1, 0]);
  });

  it.each<[string, unknown, RegExp]>([
    ["an unknown parameter", { q: "mug", colour: "red" }, /^colour:/],
    ["a number as text", { q: "mug", count: "3" }, /^count:/],
    ["a list as text", { brands: "Nordlys" }, /^brands:/],
    ["nothing to search for", {}, /^q: is missing/],
    ["a page beyond the window", { q: "mug", count: 250, page: 41 }, /^page:/],
    ["an upside-down range", { q: "mug", priceRange: "[5,1]" }, /^priceRange:/],
    ["no object", 5, /not an object/],
    ["null", null, /not an object/],
    ["a list", [], /not an object/],
  ])("has an error in the place of a search with %s", async (_, wrong, message) => {
    const response = await send({ searches: [wrong, { q: "mug" }] }, await fresh());
    expectDocumented(id, 200, response);
    expect(response.json().results).toEqual([
      { status: "error", message: expect.stringMatching(message), code: "invalid_request" },
      expect.objectContaining({ status: "success", count: 12 }),
    ]);
  });

  it("takes public tokens, whose address is counted too", async () => {
    const headers = {
      ...(await fresh({ publicOrigins: ["https://shop.example"] })),
      origin: "https://shop.example",
    };
    const mugs = (searches: number) => ({ searches: Array.from({ length: searches }, () => ({ q: "mug" })) });
    expectDocumented(id, 200, await send(mugs(4), headers));
    expectDocumented(id, 429, await send(mugs(2), headers));
  });
});

describe("400", () => {
  it.each<[string, unknown, RegExp]>([
    ["no searches", {}, /^searches: is missing/],
    ["none", { searches: [] }, /^searches: has 0 entries/],
    ["eleven", { searches: Array.from({ length: 11 }, () => ({ q: "mug" })) }, /^searches: has 11 entries/],
    ["no list", { searches: { q: "mug" } }, /^searches:.*not an array/],
    ["an unknown field", { searches: [{ q: "mug" }], q: "mug" }, /^q: is not a known field/],
  ])("with %s", async (_, payload, message) => {
    expectInvalid(id, message, await send(payload, await fresh()));
  });
});

describe("429", () => {
  it("with more searches than are left, of which none is done; fewer are still done", async () => {
    const headers = await fresh();
    const mugs = (searches: number) => ({ searches: Array.from({ length: searches }, () => ({ q: "mug" })) });
    expectDocumented(id, 200, await send(mugs(10), headers));
    expectDocumented(id, 200, await send(mugs(6), headers));
    const refused = await send(mugs(5), headers);
    expectDocumented(id, 429, refused);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expectDocumented(id, 200, await send(mugs(3), headers));
  });
});

it("has the parameters of a search, no more and no fewer", () => {
  const { CatalogSearchParameters } = specDocument.components.schemas;
  expect(Object.keys(CatalogSearchParameters?.properties ?? {}).toSorted()).toEqual(
    Object.keys(operations.searchCatalog.schemas.query.properties ?? {}).toSorted(),
  );
});
