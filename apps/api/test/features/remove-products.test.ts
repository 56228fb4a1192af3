import { removeProducts } from "@product-search/features/catalog-write/remove-products.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeEach(async () => {
  service = await createTestService();
  await service.stores.catalogStore.apply([1, 2, 3].map((n) => fakeMug("catalog", n)));
  await service.indexed();
});
afterEach(() => service.close());

test("a removed product is not found by any operation", async () => {
  const [first, second] = await service.stores.catalogStore.scan(0, 2);
  const get = async (url: string) => {
    const headers = { authorization: `Bearer ${await service.token()}` };
    return service.app.inject({ url: `/api/v1${url}`, headers });
  };
  const search = async () =>
    (await get("/search/catalog?q=mug")).json().Products.map(({ _id }: { _id: string }) => _id);
  expect(await search()).toHaveLength(3);
  const id = first?.id ?? "";
  expect(await removeProducts(service.stores, [id, "absent", id])).toEqual([
    { id, outcome: "removed" },
    { id: "absent", outcome: "absent" },
  ]);
  await service.indexed();
  expect(await search()).not.toContain(id);
  expect((await get("/search/catalog?q=mug")).json().count).toBe(2);
  expect((await get(`/products/${id}`)).statusCode).toBe(404);
  expect((await get(`/products/${id}/price-history`)).statusCode).toBe(404);
  expect((await get(`/products/${second?.id}`)).statusCode).toBe(200);
});
