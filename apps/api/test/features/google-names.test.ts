import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await createImportFixture();
});
afterEach(() => fixture.close());

const google = {
  id: "G1",
  title: "Lamp",
  description: "<b>Warm</b> light",
  link: "https://shop.example/g1",
  image_link: "https://cdn.example/1.jpg",
  additional_image_link: ["https://cdn.example/2.jpg", "https://cdn.example/3.jpg"],
  price: "25.00 USD",
  sale_price: "19.99 USD",
  availability: "in stock",
  brand: "Noctis",
  product_type: "Home > Lamps",
  gtin: 4006381333931,
  average_rating: 4.5,
  review_count: "7",
};
const expected = {
  key: "G1",
  name: "Lamp",
  description: "Warm light",
  url: "https://shop.example/g1",
  images: ["https://cdn.example/1.jpg", "https://cdn.example/2.jpg", "https://cdn.example/3.jpg"],
  priceMinor: 1999,
  originalPriceMinor: 2500,
  availability: "in_stock",
  brand: "Noctis",
  category: "Lamps",
  gtin: "04006381333931",
  averageRating: 4.5,
  reviewCount: 7,
};
const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

describe("Google's names in JSON", () => {
  test.each([
    ["JSON Lines", lines(google)],
    ["a JSON array", JSON.stringify([google], null, 2)],
    [
      "JSON Lines with the names of Google's APIs",
      lines({
        id: "G1",
        title: "Lamp",
        description: "<b>Warm</b> light",
        link: "https://shop.example/g1",
        imageLink: "https://cdn.example/1.jpg",
        additionalImageLinks: ["https://cdn.example/2.jpg", "https://cdn.example/3.jpg"],
        price: { value: "25.00", currency: "USD" },
        salePrice: { value: "19.99", currency: "USD" },
        availability: "in stock",
        brand: "Noctis",
        productTypes: ["Home > Lamps"],
        gtin: "4006381333931",
        averageRating: 4.5,
        reviewCount: 7,
        shipping: [{ country: "US", price: { value: "5", currency: "USD" } }],
      }),
    ],
    [
      "JSON Lines with a mixture of names",
      lines({
        _id: "G1",
        title: "Lamp",
        description: "<b>Warm</b> light",
        url: "https://shop.example/g1",
        images: ["https://cdn.example/1.jpg", "https://cdn.example/2.jpg", "https://cdn.example/3.jpg"],
        price: 19.99,
        originalPrice: 25,
        brand: "Noctis",
        category: "Lamps",
        ean: "4006381333931",
        averageRating: 4.5,
        reviewCount: 7,
        isVerified: true,
      }),
    ],
  ])("make whole products, in %s", async (_, feed) => {
    const summary = await fixture.run(fixture.file(feed));
    expect(fixture.rejected).toEqual([]);
    expect(summary).toMatchObject({ kind: "products", created: 1, refused: 0 });
    expect(await fixture.products()).toMatchObject([expected]);
  });

  test("are read beside native rows, in an array too", async () => {
    const feed = JSON.stringify([google, JSON.parse(nativeLine("N1"))]);
    expect(await fixture.run(fixture.file(feed))).toMatchObject({ created: 2, refused: 0 });
  });

  test("change nothing in a native row that has a name and a URL: its other fields are ignored", async () => {
    const row = nativeLine("N1", { title: "Other", link: "https://other.example/", sale_price: "1 USD" });
    expect(await fixture.run(fixture.file(row))).toMatchObject({ created: 1 });
    expect(await fixture.products()).toMatchObject([
      { name: "Lamp N1", priceMinor: 1999, url: "https://shop.example/N1" },
    ]);
  });

  test("name the field of the feed when a row is refused", async () => {
    const { link: _, ...noLink } = google;
    const feed = lines(google, { ...noLink, id: "G2" }, { ...google, id: "G3", price: "5 EUR" });
    expect(await fixture.run(fixture.file(feed))).toMatchObject({ created: 1, refused: 2 });
    expect(fixture.rejected).toMatchObject([
      { line: 2, key: "G2", field: "link" },
      { line: 3, key: "G3", field: "price" },
    ]);
  });

  test("of prices and stock alone are an inventory feed", async () => {
    await fixture.run(fixture.file(lines(google)));
    const feed = lines({ id: "G1", price: "30 USD", sale_price: "18 USD", availability: "out of stock" });
    expect(await fixture.run(fixture.file(feed))).toMatchObject({ kind: "inventory", updated: 1 });
    expect(await fixture.products()).toMatchObject([
      { name: "Lamp", priceMinor: 1800, originalPriceMinor: 3000, availability: "out_of_stock" },
    ]);
  });

  test("delete products, and keep the marketplace's item code as the key", async () => {
    const source = "marketplace-a" as const;
    await fixture.run(fixture.file(lines({ ...google, id: "marketplace-a_X1" })), { source });
    expect(await fixture.products()).toMatchObject([{ id: "marketplace-a_X1", key: "X1" }]);
    await fixture.run(fixture.file(lines({ id: "X1", title: "Lamp", deleted: true })), { source });
    expect(await fixture.products()).toEqual([]);
  });
});
