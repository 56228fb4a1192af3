import { fakeMug } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["search"] });
  const brands = ["Nordlys", "NORDLYS Kids & Baby", "Crème Brûlée", "Zenith"];
  await service.stores.catalogStore.apply(
    brands.map((brand, at) => fakeMug(at === 3 ? "marketplace-b" : "catalog", at, { brand })),
  );
  await service.stores.catalogStore.apply(
    Array.from({ length: 30 }, (_, at) => fakeMug("marketplace-a", at, { brand: `Brandish ${at}` })),
  );
  await service.indexed();
});
afterAll(() => service.close());

const search = (payload: object | string, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: "POST",
    url: "/api/v1/search/brands",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    payload,
  });
const found = async (query: string): Promise<string[]> =>
  (await search({ query })).json().brands.map(({ name }: { name: string }) => name);

describe("200", () => {
  it("links each brand to its page", async () => {
    const response = await search({ query: "nordlys" });
    expectDocumented("searchBrands", 200, response);
    expect(response.json().brands).toEqual([
      { name: "Nordlys", serviceBrandPageUrl: "http://service.test/brands/Nordlys" },
      {
        name: "NORDLYS Kids & Baby",
        serviceBrandPageUrl: "http://service.test/brands/NORDLYS%20Kids%20%26%20Baby",
      },
    ]);
  });

  it("finds names that contain or resemble the query; case and accents are ignored", async () => {
    expect(await found("kids")).toEqual(["NORDLYS Kids & Baby"]);
    expect(await found("nordlis")).toContain("Nordlys");
    expect(await found("CREME BRULEE")).toEqual(["Crème Brûlée"]);
  });

  it("searches the brands of every source", async () => {
    expect(await found("zenith")).toEqual(["Zenith"]);
  });

  it("returns at most twenty", async () => {
    expect(await found("brandish")).toHaveLength(20);
  });
});

describe("400", () => {
  it.each<[string, object | string, RegExp]>([
    ["no query", {}, /^query:/],
    ["an empty query", { query: "" }, /^query:/],
    ["a blank query", { query: "  " }, /^query:/],
    ["a number", { query: 5 }, /^query:/],
    ["an unknown field", { query: "nordlys", limit: 5 }, /^limit:/],
    ["513 characters", { query: "a".repeat(513) }, /^query:/],
    ["broken JSON", "{", /./],
  ])("with %s", async (_, payload, message) => {
    expectInvalid("searchBrands", message, await search(payload));
  });
});

describe("404", () => {
  it("says under `data` that no brand was found", async () => {
    const response = await search({ query: "xyzzyx" });
    expectDocumented("searchBrands", 404, response);
    expect(response.json()).toMatchObject({
      status: "error",
      data: expect.stringMatching(/^No brand found/),
      code: "brand_not_found",
    });
    expect(response.json()).not.toHaveProperty("message");
  });
});
