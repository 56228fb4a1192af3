import { describe, expect, test } from "vitest";
import type { StoredProduct } from "../product.ts";
import { marketplaceItems, toAnyProduct, toProduct } from "./to-product.ts";

const nowMs = Date.UTC(2026, 4, 1);
const presentation = { publicUrl: "https://shop.example/search", currency: "USD" };

const stored: StoredProduct = {
  rowId: 7,
  source: "catalog",
  key: "sku 7",
  id: "0123456789abcdef01234567",
  slug: "lamp-01234567",
  name: "Lamp",
  brand: "Noctis",
  storeName: "Lichthaus",
  description: "Warm light.",
  url: "/products/lamp-01234567",
  images: ["/images/lamp.webp", "https://cdn.example/lamp.jpg"],
  priceMinor: 1999,
  availability: "out_of_stock",
  averageRating: 4.2,
  reviewCount: 3,
  isVerified: true,
  isBoosted: false,
  discountVal: 12.5,
  serviceScore: 81.2,
  priceSinceMs: nowMs,
  createdAtMs: nowMs,
  updatedAtMs: nowMs,
};
const { brand, averageRating, serviceScore, ...unknownParts } = stored;

describe("toProduct", () => {
  test("has exactly the interface's fields, with decimal prices and absolute URLs", () => {
    expect(toProduct(stored, [{ id: "e1", priceMinor: 1999, atMs: nowMs }], presentation)).toEqual({
      _id: "0123456789abcdef01234567",
      key: "sku 7",
      name: "Lamp",
      brand: "Noctis",
      storeName: "Lichthaus",
      slug: "lamp-01234567",
      price: 19.99,
      isVerified: true,
      isBoosted: false,
      images: ["https://shop.example/search/images/lamp.webp", "https://cdn.example/lamp.jpg"],
      url: "https://shop.example/search/products/lamp-01234567",
      serviceScore: 81.2,
      priceHistory: [{ price: 19.99, date: "2026-05-01T00:00:00.000Z", _id: "e1" }],
      discountVal: 12.5,
      averageRating: 4.2,
      availability: "out_of_stock",
      currency: "USD",
      reviewCount: 3,
    });
  });

  test("has the description only where it is included", () => {
    expect(toProduct(stored, [], presentation)).not.toHaveProperty("description");
    const { description } = toProduct(stored, [], presentation, { description: true });
    expect(description).toBe("Warm light.");
  });

  test("has the fields of the shop's own, its data only where they are included", () => {
    const own = { ...stored, releasedAtMs: nowMs, rank: -1.5, tags: ["new"], custom: '{"badge":"A"}' };
    expect(toProduct(own, [], presentation)).toMatchObject({
      releasedAt: "2026-05-01T00:00:00.000Z",
      rank: -1.5,
      tags: ["new"],
    });
    expect(toProduct(own, [], presentation)).not.toHaveProperty("custom");
    expect(toProduct(own, [], presentation, { custom: true }).custom).toEqual({ badge: "A" });
    const item = toAnyProduct({ ...own, source: "marketplace-b" }, [], presentation, { custom: true });
    expect(item).toMatchObject({ key: "sku 7", rank: -1.5, custom: { badge: "A" } });
  });

  test("has the shop's former price only where it is higher", () => {
    const originalPrice = (originalPriceMinor: number) =>
      toProduct({ ...stored, originalPriceMinor }, [], presentation).originalPrice;
    expect([2500, 1999, 1000].map(originalPrice)).toEqual([25, undefined, undefined]);
  });

  test("has the path of the first category, which may be a single name", () => {
    const pathOf = (categories: Pick<StoredProduct, "category" | "categoryPaths">) => {
      const { category, categoryPath } = toProduct({ ...stored, ...categories }, [], presentation);
      return { category, categoryPath };
    };
    expect(pathOf({ category: "Lamps", categoryPaths: [["Home", "Lamps"], ["Gifts"]] })).toEqual({
      category: "Lamps",
      categoryPath: ["Home", "Lamps"],
    });
    expect(pathOf({ category: "Lamps" })).toEqual({ category: "Lamps", categoryPath: ["Lamps"] });
  });

  test("leaves out what is unknown", () => {
    const product = toProduct(unknownParts, [], presentation);
    expect(Object.keys(product)).not.toContain("brand");
    expect(Object.keys(product)).not.toContain("serviceScore");
    expect(Object.keys(product)).not.toContain("averageRating");
  });

  test("keeps the newest hundred prices, newest last", () => {
    const history = Array.from({ length: 130 }, (_, index) => ({
      id: `${index}`,
      priceMinor: index,
      atMs: index,
    }));
    const { priceHistory } = toProduct(stored, history, presentation);
    expect(priceHistory).toHaveLength(100);
    expect(priceHistory[0]?._id).toBe("30");
    expect(priceHistory.at(-1)?._id).toBe("129");
  });

  test("supports currencies without decimals", () => {
    expect(toProduct(stored, [], { ...presentation, currency: "JPY" }).price).toBe(1999);
  });
});

describe("marketplace products", () => {
  const common = {
    _id: "marketplace-a_X1",
    key: "X1",
    name: "Lamp",
    brand: "Noctis",
    price: 19.99,
    images: ["https://shop.example/search/images/lamp.webp", "https://cdn.example/lamp.jpg"],
    url: "https://shop.example/search/products/lamp-01234567",
    slug: "X1",
    storeName: "Lichthaus",
    averageRating: 4.2,
    description: "Warm light.",
    availability: "Out of stock",
    currency: "USD",
    reviewCount: 3,
  };
  const listed = { ...stored, id: "marketplace-a_X1", key: "X1", slug: "X1" };

  test("of A have their original price and item code, of B their number of reviews", () => {
    expect(marketplaceItems["marketplace-a"]({ ...listed, originalPriceMinor: 2500 }, presentation)).toEqual({
      ...common,
      source: "marketplace-a",
      originalPrice: 25,
      itemCode: "X1",
    });
    expect(marketplaceItems["marketplace-b"](listed, presentation)).toEqual({
      ...common,
      source: "marketplace-b",
      reviewCount: 3,
    });
  });

  test("of A have the price as original price if there was no higher one", () => {
    expect(marketplaceItems["marketplace-a"](listed, presentation).originalPrice).toBe(19.99);
    expect(
      marketplaceItems["marketplace-a"]({ ...listed, originalPriceMinor: 1000 }, presentation).originalPrice,
    ).toBe(19.99);
  });

  test("leave out what is unknown", () => {
    const product = marketplaceItems["marketplace-b"](unknownParts, presentation);
    expect(Object.keys(product)).not.toContain("brand");
    expect(Object.keys(product)).not.toContain("averageRating");
  });
});
