import { describe, expect, it } from "vitest";
import type { FeedRow, TableLayout } from "../formats/feed-row.ts";
import { readFeed } from "../formats/read-feed.ts";
import { kindOfNativeRow, readNativeRow } from "../rows/native-row.ts";

async function read(text: string, layouts: TableLayout[] = []): Promise<FeedRow[]> {
  const bytes = Buffer.from(text);
  const chunks = async function* () {
    for (let from = 0; from < bytes.length; from += 70) yield bytes.subarray(from, from + 70);
  };
  const rows: FeedRow[] = [];
  const maps = [
    { fields: { id: "Code" }, attributes: [] },
    { fields: {}, attributes: [], storeName: "Clay" },
  ];
  for await (const group of readFeed(chunks(), { maps, onTable: (layout) => void layouts.push(layout) }))
    rows.push(...group);
  return rows;
}

const context = { source: "catalog", currency: "EUR", nowMs: Date.now(), isTable: true } as const;
const changes = (rows: readonly FeedRow[], more = {}) =>
  rows.map((row) => {
    if (!("own" in row)) return row;
    const noAddress = row.table?.noAddress;
    const rules = { ...context, ...(noAddress && { noAddress }), ...more };
    return readNativeRow(row.own, kindOfNativeRow(row.own), rules);
  });

const vase = {
  id: 1,
  title: "Vase",
  handle: "vase",
  body_html: "<p>Round</p>",
  published_at: "2026-03-01T09:00:00-05:00",
  vendor: "Clay",
  product_type: "Vases",
  tags: ["new", "round"],
  variants: [
    {
      id: 11,
      title: "Teal",
      option1: "Teal",
      option2: null,
      sku: "V-T",
      available: true,
      price: "25.00",
      compare_at_price: "40.00",
      featured_image: { src: "https://cdn.example/teal.jpg" },
    },
    {
      id: 12,
      title: "Sand",
      option1: "Sand",
      sku: "",
      available: false,
      price: "30.00",
      compare_at_price: null,
      featured_image: null,
    },
  ],
  images: [{ id: 7, src: "https://cdn.example/v.jpg" }],
  options: [{ name: "Glaze", position: 1, values: ["Teal", "Sand"] }],
};
const jug = {
  ...{
    id: 2,
    title: "Jug",
    handle: "jug",
    vendor: "Clay",
    product_type: "",
    tags: "plain",
    published_at: null,
  },
  variants: [
    {
      id: 21,
      option1: "Default Title",
      sku: "J",
      price: "20.00",
      inventory_quantity: 0,
      inventory_management: "shopify",
      inventory_policy: "deny",
    },
  ],
  ...{ images: [], options: [{ name: "Title", values: ["Default Title"] }] },
};

describe("Shopify's products.json", () => {
  it.each([0, 2])("is a feed, with %s spaces: each variant is a product", async (spaces) => {
    const layouts: TableLayout[] = [];
    const rows = await read(
      JSON.stringify({ products: [vase, { ...jug, published_at: "2026-01-01" }] }, null, spaces),
      layouts,
    );
    expect(layouts).toMatchObject([{ name: "Shopify's products.json", mapNumber: 1 }]);
    expect(changes(rows, { site: "https://clay.example" })).toMatchObject([
      {
        change: {
          ...{
            key: "V-T",
            name: "Vase",
            priceMinor: 2500,
            originalPriceMinor: 4000,
            availability: "in_stock",
          },
          ...{ brand: "Clay", category: "Vases", groupId: "vase", tags: ["new", "round"] },
          images: ["https://cdn.example/teal.jpg", "https://cdn.example/v.jpg"],
          attributes: { glaze: ["Teal"] },
          url: "https://clay.example/products/vase",
          releasedAtMs: Date.parse("2026-03-01T14:00:00Z"),
        },
      },
      {
        change: {
          key: "vase/Sand",
          priceMinor: 3000,
          availability: "out_of_stock",
          attributes: { glaze: ["Sand"] },
        },
      },
      { change: { key: "J", name: "Jug", availability: "out_of_stock", tags: ["plain"] } },
    ]);
  });

  it("is also read line by line, and what is not published is deleted", async () => {
    const rows = await read(`${JSON.stringify(vase)}\n${JSON.stringify(jug)}\n`);
    expect(changes(rows)).toMatchObject([
      { change: { key: "V-T" } },
      { change: { key: "vase/Sand" } },
      { change: { key: "J", removed: true } },
    ]);
  });

  it("names the members that are not read, with the number of products that have them", async () => {
    const layouts: TableLayout[] = [];
    const images = [{ src: "https://cdn.example/j.jpg", alt: "A jug", width: null }];
    const pictured = { ...jug, images, template: "", notes: ["fragile"], seo: {} };
    await read(JSON.stringify({ products: [vase, { ...pictured, published_at: "2026-01-01" }] }), layouts);
    expect(layouts[0]?.unused?.rows).toBe(2);
    const counts = layouts[0]?.unused?.columns.map(({ column, filled }) => [column, filled]);
    expect(Object.fromEntries(counts ?? [])).toEqual({
      ...{ id: 2, "variants.id": 2, "variants.title": 1, "images.alt": 1, notes: 1 },
    });
  });

  it("is refused if it ends early or has a second object behind it", async () => {
    const page = JSON.stringify({ products: [vase] });
    await expect(read(page.slice(0, -1))).rejects.toThrow("ends early");
    await expect(read(page.slice(0, -20))).rejects.toThrow("ends early");
    await expect(read(`${page}\n${page}\n`)).rejects.toThrow("import each such object alone");
    expect(await read(`${page.slice(0, -1)}, "total": 1}\n`)).toHaveLength(2);
  });
});

const prices = (price: string, regular = price) => ({
  ...{ price, regular_price: regular, sale_price: price, currency_code: "EUR", currency_minor_unit: 2 },
});
const shared = {
  is_in_stock: true,
  is_on_backorder: false,
  average_rating: "0",
  review_count: 0,
  categories: [],
  attributes: [],
  images: [],
};
const jumper = {
  ...{ id: 10, name: "Jumper &amp; scarf", type: "variable", sku: "jumper", parent: 0, variation: "" },
  ...{
    permalink: "https://wool.example/p/jumper",
    description: "<p>Warm</p>",
    prices: prices("1800"),
    ...shared,
  },
  categories: [{ id: 1, name: "Clothes, warm" }],
  images: [{ id: 1, src: "https://wool.example/j.jpg" }],
  attributes: [
    { id: 1, name: "Size", has_variations: true, terms: [{ name: "M" }, { name: "L" }] },
    { id: 2, name: "Material", has_variations: false, terms: [{ name: "Wool" }] },
  ],
};
const sizeM = {
  ...{
    id: 11,
    name: "Jumper &amp; scarf",
    type: "variation",
    sku: "jumper-m",
    parent: 10,
    variation: "Size: M",
  },
  ...{ permalink: "https://wool.example/p/jumper?size=m", ...shared, prices: prices("1800", "2500") },
};
const hat = {
  ...{
    id: 12,
    name: "Hat",
    type: "simple",
    sku: "",
    permalink: "https://wool.example/p/hat",
    prices: prices("900"),
  },
  ...{ ...shared, is_on_backorder: true, average_rating: "4.50", review_count: 2 },
};

describe("WooCommerce's Store API", () => {
  it("is a feed: variations are products, with what their parent has", async () => {
    const layouts: TableLayout[] = [];
    const sold = { ...hat, low_stock_remaining: 3 };
    expect(changes(await read(JSON.stringify([jumper, sold, sizeM]), layouts))).toMatchObject([
      {
        change: {
          ...{ key: "id:12", name: "Hat", priceMinor: 900, availability: "backorder" },
          ...{ averageRating: 4.5, reviewCount: 2, url: "https://wool.example/p/hat" },
        },
      },
      {
        change: {
          ...{ key: "jumper-m", name: "Jumper & scarf", priceMinor: 1800, originalPriceMinor: 2500 },
          ...{ category: "Clothes, warm", groupId: "jumper", url: "https://wool.example/p/jumper?size=m" },
          attributes: { size: ["M"], material: ["Wool"] },
          images: ["https://wool.example/j.jpg"],
        },
      },
    ]);
    expect(layouts[0]?.unused?.columns).toEqual([
      { column: "images.id", filled: 1 },
      { column: "low_stock_remaining", filled: 1 },
    ]);
  });

  it("keeps a variable product whose variations are not listed", async () => {
    expect(changes(await read(JSON.stringify([jumper])))).toMatchObject([
      { change: { key: "jumper", priceMinor: 1800, attributes: { size: ["M", "L"] } } },
    ]);
  });

  it("refuses a product in another currency", async () => {
    const dollars = { ...hat, prices: { ...prices("900"), currency_code: "USD" } };
    expect(changes(await read(JSON.stringify([dollars])))).toMatchObject([
      { fault: { field: "currency", reason: expect.stringContaining('"USD" is not EUR') } },
    ]);
  });

  it("is read as the REST API has it too", async () => {
    const shirt = {
      ...{
        id: 20,
        name: "Shirt",
        type: "simple",
        status: "publish",
        catalog_visibility: "visible",
        sku: "S",
      },
      ...{
        permalink: "https://wool.example/p/shirt",
        price: "9.50",
        regular_price: "12.00",
        sale_price: "9.50",
      },
      ...{
        stock_status: "onbackorder",
        categories: [{ name: "Shirts" }],
        images: [{ src: "https://wool.example/s.jpg" }],
      },
      attributes: [{ name: "Colour", options: ["Red", "Blue, light"], visible: true }],
    };
    const hidden = { ...shirt, id: 21, sku: "H", catalog_visibility: "hidden" };
    expect(changes(await read(JSON.stringify([shirt, hidden])))).toMatchObject([
      {
        change: {
          ...{
            key: "S",
            priceMinor: 950,
            originalPriceMinor: 1200,
            availability: "backorder",
            category: "Shirts",
          },
          attributes: { colour: ["Red", "Blue, light"] },
        },
      },
      { change: { key: "H", removed: true } },
    ]);
  });
});
