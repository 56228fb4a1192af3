import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "../../src/errors.ts";
import type { Ports } from "../../src/handlers.ts";
import { fakeMug } from "../../testing/fake-products.ts";
import { expectDocumented } from "../../testing/spec-check.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "getProduct";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["search"] });
  await service.stores.catalogStore.apply([
    fakeMug("catalog", 1, { averageRating: 4.5 }),
    fakeMug("marketplace-a", 2, { originalPriceMinor: 5000 }),
    fakeMug("marketplace-b", 3, { key: "a/b?c d" }),
  ]);
  await service.indexed();
});
afterAll(() => service.close());

const get = (productId: string, headers: Record<string, string> = {}) =>
  service.app.inject({
    url: `/api/v1/products/${encodeURIComponent(productId)}`,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

describe("200", () => {
  it("returns a product of the catalog in the same form as searches", async () => {
    const headers = { authorization: `Bearer ${token}` };
    const search = await service.app.inject({ url: "/api/v1/search/catalog?q=mug", headers });
    const [product] = search.json().Products;
    const response = await get(product._id);
    expectDocumented(id, 200, response);
    expect(response.json()).toEqual({ status: "success", product, availability: "in_stock" });
    expect(product).toMatchObject({ averageRating: 4.5, priceHistory: [{ price: 11 }] });
  });

  it.each([
    ["marketplace-a_MUG2", { source: "marketplace-a", itemCode: "MUG2", originalPrice: 50 }],
    ["marketplace-b_a/b?c d", { source: "marketplace-b", slug: "a/b?c d", reviewCount: 0 }],
  ])("gives %s, without a position", async (productId, expected) => {
    const response = await get(productId);
    expectDocumented(id, 200, response);
    const { product } = response.json();
    expect(product).toMatchObject({ _id: productId, ...expected });
    expect(product).not.toHaveProperty("position");
  });
});

describe("400", () => {
  it("with an unknown parameter", async () => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await service.app.inject({ url: "/api/v1/products/x?fields=name", headers });
    expectDocumented(id, 400, response);
    expect(response.json().message).toMatch(/^fields:/);
  });
});

describe("401", () => {
  it("without a token", async () => {
    expectDocumented(id, 401, await get("x", { authorization: "" }));
  });
});

describe("403", () => {
  it("with a token that lacks the scope", async () => {
    const authorization = `Bearer ${await service.token({ scopes: ["webhooks"] })}`;
    expectDocumented(id, 403, await get("x", { authorization }));
  });
});

describe("404", () => {
  it.each([
    "nobody",
    "marketplace-a_",
    "marketplace-c_MUG2",
    "../webhooks",
    " ",
    "a".repeat(1500),
    "'; drop table",
  ])("with an identifier that no product has: %s", async (productId) => {
    const response = await get(productId);
    expectDocumented(id, 404, response);
    expect(response.json()).toMatchObject({
      code: "product_not_found",
      message: expect.stringMatching(/^product_id: no product/),
    });
  });
});

describe("406", () => {
  it("with an Accept that excludes JSON", async () => {
    expectDocumented(id, 406, await get("marketplace-a_MUG2", { accept: "text/html" }));
  });
});

describe("429", () => {
  it("over the limit of the token", async () => {
    const [, second] = await responsesOf((ports) => ports);
    expectDocumented(id, 429, second);
  });
});

describe("500", () => {
  it("when the database fails, without details", async () => {
    const [first] = await responsesOf((ports) => failing(ports, new Error("disk on fire")));
    expectDocumented(id, 500, first);
    expect(first.body).not.toContain("fire");
  });
});

describe("503", () => {
  it("while the service is overloaded", async () => {
    const error = new ApiError("unavailable", "Too busy.", { retryAfterSeconds: 2 });
    const [first] = await responsesOf((ports) => failing(ports, error));
    expectDocumented(id, 503, first);
  });
});

function failing(ports: Ports, error: Error): Ports {
  return { ...ports, catalogStore: { ...ports.catalogStore, findById: () => Promise.reject(error) } };
}

/** Two requests to a service that allows one. */
async function responsesOf(ports: (ports: Ports) => Ports) {
  const limited = await createTestService({ environment: { TOKEN_RATE_LIMIT: "1/60" }, ports });
  const headers = { authorization: `Bearer ${await limited.token()}` };
  const ask = () => limited.app.inject({ url: "/api/v1/products/x", headers });
  const responses = [await ask(), await ask()] as const;
  await limited.close();
  return responses;
}
