import { fakeMug, fakeMugs } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "suggest";
const url = "/api/v1/search/suggestions";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["search"] });
  await service.stores.catalogStore.apply([
    ...fakeMugs("catalog", 6),
    ...[1, 2, 3].map((n) =>
      fakeMug("catalog", 30 + n, {
        name: `Noctis desk lamp ${n}`,
        brand: "Café Noctis",
        category: "Lamps",
      }),
    ),
    fakeMug("catalog", 40, { name: "Floor lamp", brand: "Lumora", category: "Lamps" }),
    fakeMug("marketplace-a", 50, { name: "Umbrella", brand: "Umbria", category: "Umbrellas" }),
  ]);
  await service.indexed();
});
afterAll(() => service.close());

const ask = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  service.app.inject({ url, query, headers: { authorization: `Bearer ${token}`, ...headers } });
const suggestions = async (q: string) => {
  const response = await ask({ q });
  expectDocumented(id, 200, response);
  return response.json();
};

describe("200", () => {
  it("completes a text, and returns at most five products", async () => {
    const found = await suggestions("lmap");
    expect(found.queries).toEqual(expect.arrayContaining(["lamp", "desk lamp"]));
    expect(found.Products[0].name).toMatch(/lamp/i);
    expect(found.Products.length).toBeLessThanOrEqual(5);
  });

  it("returns brands with their pages, and categories as written in the catalog", async () => {
    expect((await suggestions("noct")).brands).toEqual([
      { name: "Café Noctis", serviceBrandPageUrl: "http://service.test/brands/Caf%C3%A9%20Noctis" },
    ]);
    expect((await suggestions("la")).categories).toEqual(["Lamps"]);
  });

  it("returns nothing of the marketplaces, and nothing without a completion", async () => {
    for (const q of ["umbr", "xqzt", "?!", "9999"])
      expect(await suggestions(q)).toEqual({
        status: "success",
        queries: [],
        brands: [],
        categories: [],
        Products: [],
      });
  });

  it("accepts 100 characters of any kind", async () => {
    for (const q of ["🫖".repeat(100), "l".repeat(100), "la ".repeat(33), "杯".repeat(100)])
      await suggestions(q);
  });
});

describe("400", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["no q", {}, /^q:/],
    ["an empty q", { q: "" }, /^q:/],
    ["a blank q", { q: " " }, /^q:/],
    ["a q of 101 characters", { q: "a".repeat(101) }, /^q:.*100/],
    ["an unknown parameter", { q: "lamp", count: "5" }, /^count:/],
  ])("with %s", async (_, query, message) => {
    expectInvalid(id, message, await ask(query));
  });
});
