import { fakeMug } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInsightService, type InsightService } from "../../testing/insight-service.ts";
import { createTestService } from "../../testing/test-service.ts";

const id = "relatedProducts";
let service: InsightService;
let token: string;
let ids: string[];
beforeAll(async () => {
  service = await createInsightService();
  await service.stores.catalogStore.apply([
    fakeMug("catalog", 101, { name: "Red desk lamp", category: "Lamps", priceMinor: 3000, images: [] }),
    fakeMug("catalog", 102, {
      name: "Red desk lamp, small",
      category: "Lamps",
      priceMinor: 9000,
      images: [],
    }),
    fakeMug("catalog", 103, { name: "Red desk lamp, tall", category: "Lamps", priceMinor: 3100, images: [] }),
    fakeMug("catalog", 104, { name: "Floor light", category: "Lamps", priceMinor: 3000, images: [] }),
    fakeMug("catalog", 105, { name: "Red desk lamp book", category: "Books", priceMinor: 3000, images: [] }),
  ]);
  await service.indexed();
  token = await service.token({ scopes: ["search"] });
  ids = (await service.stores.catalogStore.scan(0, 100)).map((product) => product.id);
});
afterAll(() => service.close());

const related = (productId: string, query: Record<string, string> = {}) =>
  service.app.inject({
    url: `/api/v1/products/${encodeURIComponent(productId)}/related`,
    query,
    headers: { authorization: `Bearer ${token}` },
  });
const buy = (orderId: string, ...productIds: (string | undefined)[]) =>
  service.send(productIds.map((productId) => ({ type: "purchase", productId, orderId })));

describe("200", () => {
  it("returns what is bought together, most often first, whatever is bought with everything", async () => {
    const [one, other, third, everywhere] = ids;
    for (let i = 0; i < 3; i++)
      expect(await buy(`a${i}`, one, other, everywhere)).toMatchObject({ accepted: 3 });
    // One order in two requests, which are repeated.
    for (let i = 0; i < 3; i++) {
      await buy("b", one);
      await buy("b", third);
    }
    for (let i = 0; i < 9; i++) await buy(`c${i}`, ids[5 + i], everywhere);
    const response = await related(one ?? "", { kind: "boughtTogether" });
    expectDocumented(id, 200, response);
    expect(response.json().kind).toBe("boughtTogether");
    const found = response.json().Products.map((product: { _id: string }) => product._id);
    expect(found[0]).toBe(other);
    expect(found.toSorted()).toEqual([other, third, everywhere].toSorted());
    const first = await related(one ?? "", { kind: "boughtTogether", count: "1" });
    expect(first.json().Products).toHaveLength(1);
  });

  it("orders of the same name from another account are others", async () => {
    const [, , , , five, six] = ids;
    await buy("same", five);
    const foreign = await service.token({ scopes: ["search"], account: "another shop" });
    await service.send([{ type: "purchase", productId: six, orderId: "same" }], foreign);
    expect((await related(five ?? "", { kind: "boughtTogether" })).json().kind).toBe("sameCategory");
  });

  it("falls back to the category by name and price, also by the key of the product", async () => {
    for (const query of [{}, { kind: "alike" }, { kind: "boughtTogether" }]) {
      const response = await related("MUG101", query);
      expectDocumented(id, 200, response);
      expect(response.json().kind).toBe("sameCategory");
      expect(response.json().Products.map(({ name }: { name: string }) => name)).toEqual([
        "Red desk lamp, tall",
        "Red desk lamp, small",
        "Floor light",
      ]);
    }
  });
});

describe("400", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["a count of 51", { count: "51" }, /^count:/],
    ["another kind", { kind: "sameCategory" }, /^kind:/],
    ["an unknown parameter", { page: "2" }, /^page:/],
  ])("with %s", async (_, query, message) => {
    expectInvalid(id, message, await related(ids[0] ?? "", query));
  });
});

describe("404", () => {
  it("with an identifier that no product has", async () => {
    expectDocumented(id, 404, await related("nobody"));
  });
});

describe("503", () => {
  it("while there is no index of images yet", async () => {
    const early = await createTestService();
    await early.stores.catalogStore.apply([fakeMug("catalog", 1)]);
    const [product] = await early.stores.catalogStore.scan(0, 1);
    const response = await early.app.inject({
      url: `/api/v1/products/${product?.id}/related`,
      headers: { authorization: `Bearer ${await early.token()}` },
    });
    await early.close();
    expectDocumented(id, 503, response);
  });
});
