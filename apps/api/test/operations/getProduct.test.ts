import type { ProductInput } from "@product-search/core/domain/product.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "getProduct";
const shirt = (color: string): Partial<ProductInput> => ({
  name: `Shirt ${color}`,
  priceMinor: 1500,
  originalPriceMinor: 2000,
  category: "Shirts",
  categoryPaths: [["Clothes", "Shirts"], ["Gifts"]],
  groupId: "SHIRT",
  attributes: { color: [color], size: ["M", "L"], __proto: ["x"] },
  gtin: "04006381333931",
  mpn: "S-1",
  reviewCount: 3,
});
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["search"] });
  await service.stores.catalogStore.apply([
    fakeMug("catalog", 1, { averageRating: 4.5 }),
    fakeMug("marketplace-a", 2, { originalPriceMinor: 5000 }),
    fakeMug("marketplace-b", 3, { key: "a/b?c d" }),
    fakeMug("catalog", 4, shirt("Black")),
    fakeMug("catalog", 5, { ...shirt("Navy"), availability: "out_of_stock", images: [] }),
    fakeMug("marketplace-a", 6, shirt("Red")),
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
    const { description } = fakeMug("catalog", 1);
    expect(response.json()).toEqual({
      status: "success",
      product: { ...product, description },
      availability: "in_stock",
    });
    expect(product).not.toHaveProperty("description");
    expect(product).toMatchObject({ averageRating: 4.5, priceHistory: [{ price: 11 }] });
  });

  it("has everything that is known of the product, and the members of its group", async () => {
    const [black, navy] = await service.stores.catalogStore.findGroup("catalog", "SHIRT", 10);
    const response = await get(black?.id ?? "");
    expectDocumented(id, 200, response);
    const { product, variants } = response.json();
    const { attributes, groupId, gtin, mpn, reviewCount } = shirt("Black");
    expect(product).toMatchObject({
      ...{ attributes, groupId, gtin, mpn, reviewCount },
      ...{ price: 15, originalPrice: 20, currency: "USD", availability: "in_stock", discountVal: 0 },
      ...{ category: "Shirts", categoryPath: ["Clothes", "Shirts"] },
    });
    const { slug, url, images } = product;
    expect(variants).toEqual([
      {
        ...{ _id: product._id, key: "MUG4", slug, url, image: images[0] },
        ...{ price: 15, availability: "in_stock", attributes },
      },
      expect.objectContaining({
        ...{ _id: navy?.id, availability: "out_of_stock", attributes: shirt("Navy").attributes },
      }),
    ]);
    expect(variants[1]).not.toHaveProperty("image");
  });

  it("finds a product by its key: in the catalog first, and an _id before any key", async () => {
    const { catalogStore } = service.stores;
    const own = {
      releasedAtMs: Date.UTC(2026, 0, 2),
      rank: 0,
      tags: ["gift"],
      custom: '{"badge":{"text":"New"}}',
    };
    const twice = fakeMug("catalog", 7, { key: "marketplace-a_MUG2" });
    await catalogStore.apply([
      fakeMug("catalog", 8, { key: "MUG3", ...own }),
      fakeMug("marketplace-b", 9, { key: "MUG3" }),
      twice,
    ]);
    const response = await get("MUG3");
    expectDocumented(id, 200, response);
    expect(response.json().product).toMatchObject({
      key: "MUG3",
      releasedAt: "2026-01-02T00:00:00.000Z",
      rank: 0,
      tags: ["gift"],
      custom: { badge: { text: "New" } },
      isVerified: false,
    });
    expect((await get("a/b?c d")).json().product).toMatchObject({
      _id: "marketplace-b_a/b?c d",
      key: "a/b?c d",
    });
    expect((await get("marketplace-a_MUG2")).json().product).toMatchObject({ source: "marketplace-a" });
  });

  it("gives a marketplace's product its own group", async () => {
    const response = await get("marketplace-a_MUG6");
    expectDocumented(id, 200, response);
    const { product, variants } = response.json();
    expect(product).toMatchObject({ availability: "In stock", groupId: "SHIRT", reviewCount: 3 });
    expect(variants).toMatchObject([{ _id: "marketplace-a_MUG6", availability: "in_stock" }]);
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
