import { fakeMug } from "@product-search/testing/fake-products.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "deleteProduct";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["catalog"] });
  await service.stores.catalogStore.apply([
    fakeMug("catalog", 1),
    fakeMug("marketplace-a", 2, { key: "a/b" }),
  ]);
  await service.indexed();
});
afterAll(() => service.close());

const remove = (productId: string, query = "", bearer = token) =>
  service.app.inject({
    method: "DELETE",
    url: `/api/v1/products/${encodeURIComponent(productId)}${query}`,
    headers: { authorization: `Bearer ${bearer}` },
  });

describe("200", () => {
  it("deletes a product, and searches no longer find it", async () => {
    const search = async () => (await service.app.inject("/api/v1/search/trial?q=mug")).json().Products;
    const [product] = await search();
    const response = await remove(product._id);
    expectDocumented(id, 200, response);
    expect(response.json()).toEqual({ status: "success" });
    await service.indexed();
    expect(await search()).toEqual([]);
  });

  it("deletes a product of a marketplace, by its key", async () => {
    expectDocumented(id, 200, await remove("a/b"));
    expectDocumented(id, 404, await remove("marketplace-a_a/b"));
  });
});

describe("400", () => {
  it("with an unknown parameter", async () => {
    expectDocumented(id, 400, await remove("x", "?force=1"));
  });
});

describe("403", () => {
  it("without the scope", async () => {
    const other = await service.token({ scopes: ["search", "webhooks", "merchandising"] });
    expectDocumented(id, 403, await remove("x", "", other));
  });
});

describe("404", () => {
  it("for an identifier that no product has", async () => {
    const response = await remove("nobody");
    expectDocumented(id, 404, response);
    expect(response.json()).toMatchObject({ code: "product_not_found" });
  });
});
