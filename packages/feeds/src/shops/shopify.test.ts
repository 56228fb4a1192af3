import { describe, expect, it } from "vitest";
import type { FeedRow } from "../formats/feed-row.ts";
import { readFeed } from "../formats/read-feed.ts";

/** Rows as objects; a column that a row does not name is empty. */
async function read(columns: readonly string[], rows: readonly Record<string, string>[]): Promise<FeedRow[]> {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ""))];
  const bytes = Buffer.from(lines.map((line) => line.map(quote).join(",")).join("\r\n"));
  const chunks = async function* () {
    for (let from = 0; from < bytes.length; from += 50) yield bytes.subarray(from, from + 50);
  };
  const read: FeedRow[] = [];
  for await (const group of readFeed(chunks())) read.push(...group);
  return read;
}

const own = (rows: readonly FeedRow[]) => rows.map((row) => ("own" in row ? row.own : row));

const formerColumns = [
  "Handle",
  "Title",
  "Body (HTML)",
  "Vendor",
  "Product Category",
  "Type",
  "Tags",
  "Published",
  "Option1 Name",
  "Option1 Value",
  "Option1 Linked To",
  "Option2 Name",
  "Option2 Value",
  "Variant SKU",
  "Variant Inventory Tracker",
  "Variant Inventory Qty",
  "Variant Inventory Policy",
  "Variant Price",
  "Variant Compare At Price",
  "Variant Barcode",
  "Image Src",
  "Image Position",
  "Google Shopping / Gender",
  "Color (product.metafields.shopify.color-pattern)",
  "Fabric (product.metafields.shopify.fabric)",
  "Variant Image",
  "Status",
];

const todaysColumns = [
  "Title",
  "URL handle",
  "Description",
  "Vendor",
  "Product category",
  "Type",
  "Tags",
  "Published on online store",
  "Status",
  "SKU",
  "Barcode",
  "Option1 name",
  "Option1 value",
  "Price",
  "Compare-at price",
  "Inventory tracker",
  "Inventory quantity",
  "Continue selling when out of stock",
  "Product image URL",
  "Image position",
  "Variant image URL",
];

const kettle = {
  Handle: "kettle",
  Title: "Kettle",
  "Body (HTML)": "<p>Boils</p>",
  Vendor: "Hearth",
  "Product Category": "Home & Garden > Kitchen & Dining > Kettles",
  Type: "Kitchen",
  Published: "TRUE",
  Status: "active",
  "Option1 Name": "Finish",
  "Option1 Value": "Steel",
  "Option2 Name": "Litres",
  "Option2 Value": "1.2",
  "Variant SKU": "KE-S",
  "Variant Price": "39.00",
  "Image Src": "https://cdn.example/1.jpg",
};

describe("variants", () => {
  it("take what their product's first row has, also for images that come later", async () => {
    const rows = await read(formerColumns, [
      {
        ...kettle,
        "Variant Compare At Price": "49.00",
        "Variant Barcode": "'4006381333931",
        "Google Shopping / Gender": "unisex",
      },
      {
        Handle: "kettle",
        "Option1 Value": "Brass",
        "Option2 Value": "1.2",
        "Variant Price": "45.00",
        "Variant Compare At Price": "0.00",
        "Variant Image": "https://cdn.example/brass.jpg",
        "Image Src": "https://cdn.example/2.jpg",
      },
      { Handle: "kettle", "Image Src": "https://cdn.example/3.jpg" },
      {
        Handle: "cup",
        Title: "Cup",
        "Variant Price": "5",
        "Option1 Name": "Title",
        "Option1 Value": "Default Title",
      },
    ]);
    expect(own(rows)).toMatchObject([
      {
        id: "KE-S",
        title: "Kettle",
        description: "<p>Boils</p>",
        brand: "Hearth",
        price: "49.00",
        sale_price: "39.00",
        gtin: "4006381333931",
        gender: "unisex",
        product_type: ["Home & Garden > Kitchen & Dining > Kettles", "Kitchen"],
        item_group_id: "kettle",
        attributes: { Finish: ["Steel"], Litres: ["1.2"] },
        image_link: [1, 2, 3].map((n) => `https://cdn.example/${n}.jpg`),
      },
      {
        id: "kettle/Brass/1.2",
        price: "45.00",
        attributes: { Finish: ["Brass"], Litres: ["1.2"] },
        image_link: ["brass", 1, 2, 3].map((n) => `https://cdn.example/${n}.jpg`),
      },
      { id: "cup", title: "Cup", price: "5", attributes: {} },
    ]);
    expect(own(rows)[1]).not.toHaveProperty("sale_price");
    expect(own(rows)[2]).not.toHaveProperty("item_group_id");
    expect(rows.map(({ line }) => line)).toEqual([2, 3, 5]);
  });

  it("with the same SKU keep apart", async () => {
    const same = ["Steel", "Brass", "Matt"].map((finish) => ({ ...kettle, "Option1 Value": finish }));
    expect(own(await read(formerColumns, same))).toMatchObject([
      { id: "kettle/Steel/1.2" },
      { id: "kettle/Brass/1.2" },
      { id: "kettle/Matt/1.2" },
    ]);
  });

  it("whose rows do not stand together find their product above, and without one are refused alone", async () => {
    const rows = await read(formerColumns, [
      kettle,
      { Handle: "cup", Title: "Cup", "Variant Price": "5" },
      {
        Handle: "kettle",
        "Option1 Value": "Brass",
        "Option2 Value": "2",
        "Variant SKU": "KE-B",
        "Variant Price": "45",
      },
      { Handle: "nobody", "Option1 Value": "Red", "Variant Price": "1" },
    ]);
    expect(own(rows)).toMatchObject([
      { id: "KE-S" },
      { id: "cup" },
      { id: "KE-B", title: "Kettle", attributes: { Finish: ["Brass"], Litres: ["2"] } },
      { line: 5, fault: { field: "Title" } },
    ]);
  });

  it("have the fields of their category as attributes, except where an option has their values", async () => {
    const rows = await read(formerColumns, [
      {
        ...kettle,
        "Option1 Linked To": "product.metafields.shopify.color-pattern",
        "Color (product.metafields.shopify.color-pattern)": "silver; gold",
        "Fabric (product.metafields.shopify.fabric)": "steel; glass",
      },
    ]);
    expect(own(rows)).toMatchObject([
      { attributes: { Finish: ["Steel"], Litres: ["1.2"], Fabric: ["Steel", "Glass"] } },
    ]);
    expect(own(rows)[0]).not.toHaveProperty("attributes.Color");
  });
});

describe("stock", () => {
  it.each([
    ["7", "shopify", "deny", "in_stock"],
    ["0", "shopify", "deny", "out_of_stock"],
    ["-3", "shopify", "continue", "backorder"],
    ["0", "", "deny", "in_stock"],
    ["", "shopify", "deny", "in_stock"],
  ])("%j pieces, tracked by %j, %s: %s", async (quantity, tracker, policy, availability) => {
    const stock = {
      "Variant Inventory Qty": quantity,
      "Variant Inventory Tracker": tracker,
      "Variant Inventory Policy": policy,
    };
    expect(own(await read(formerColumns, [{ ...kettle, ...stock }]))).toMatchObject([{ availability }]);
  });
});

describe("a product that the shop does not show", () => {
  it.each([
    { Status: "draft" },
    { Status: "archived" },
    { Status: "unlisted" },
    { Published: "FALSE" },
    { Published: "false", Status: "" },
  ])("%j is deleted with all its variants", async (state) => {
    const rows = await read(formerColumns, [
      { ...kettle, ...state },
      {
        Handle: "kettle",
        "Option1 Value": "Brass",
        "Option2 Value": "2",
        "Variant SKU": "KE-B",
        "Variant Price": "45",
      },
    ]);
    expect(own(rows)).toEqual([
      { id: "KE-S", deleted: true },
      { id: "KE-B", deleted: true },
    ]);
  });
});

describe("a hidden copy with the SKUs of its original", () => {
  const copy = { ...kettle, Handle: "copy-of-kettle", Title: "Copy of Kettle", Status: "draft" };

  it("does not delete the original", async () => {
    expect(own(await read(formerColumns, [kettle, copy]))).toMatchObject([{ id: "KE-S", title: "Kettle" }]);
  });

  it("is deleted itself where it has another key", async () => {
    const rows = [kettle, copy, { ...copy, "Option1 Value": "Brass" }];
    expect(own(await read(formerColumns, rows))).toMatchObject([
      { id: "KE-S", title: "Kettle" },
      { id: "copy-of-kettle/Steel/1.2", deleted: true },
      { id: "copy-of-kettle/Brass/1.2", deleted: true },
    ]);
  });
});

it("keeps products apart that have the same SKU", async () => {
  const pot = { ...kettle, Handle: "pot", Title: "Pot" };
  const again = { ...kettle, "Variant Price": "41" };
  expect(own(await read(formerColumns, [kettle, pot, again]))).toMatchObject([
    { id: "KE-S", title: "Kettle" },
    { id: "pot/Steel/1.2", title: "Pot" },
    { id: "KE-S", price: "41" },
  ]);
});

it("keeps the key of a row that is refused", async () => {
  const table =
    "Handle,Title,Variant SKU,Option1 Name,Option1 Value,Variant Price\n" +
    "cup,Cup,CU-1,Colour,Red,5\ncup,,CU-2,,Blue\ncup,,,,Green\nlone,,LO-1,,Red,5\nlone,,,Colour,Blue,5\n,Cup,NO-1,,,5\n";
  const chunks = async function* () {
    yield Buffer.from(table);
  };
  const rows: FeedRow[] = [];
  for await (const group of readFeed(chunks())) rows.push(...group);
  const keys = rows.flatMap((row) => ("fault" in row ? [[row.line, row.record]] : []));
  expect(new Map(keys.map(([line, record]) => [line, record]))).toEqual(
    new Map([
      [3, { own: { id: "CU-2" } }],
      [4, { own: { id: "cup/Green" } }],
      [5, { own: { id: "LO-1" } }],
      [6, { own: { id: "lone/Blue" } }],
      [7, { own: { id: "NO-1" } }],
    ]),
  );
});

it("keeps the first 20 different images of a product", async () => {
  const images = Array.from({ length: 30 }, (_, at) => `https://cdn.example/${at >> 1}.jpg`);
  const more = Array.from({ length: 3000 }, (_, at) => `https://cdn.example/more-${at}.jpg`);
  const rows = await read(formerColumns, [
    kettle,
    ...[...images, ...more].map((image) => ({ Handle: "kettle", "Image Src": image })),
  ]);
  const [{ image_link: found } = {}] = own(rows).map((row) => ("image_link" in row ? row : {}));
  expect(found).toEqual(
    [1, 0, ...Array.from({ length: 13 }, (_, at) => at + 2)]
      .map((at) => `https://cdn.example/${at}.jpg`)
      .concat(more.slice(0, 5)),
  );
});

it.each([
  ["in a field of a category", "Color (product.metafields.shopify.color-pattern)"],
  ["in the name of a column", `a${" ".repeat(80_000)}b`],
])("reads 80 000 spaces %s in linear time", async (_, column) => {
  const before = process.threadCpuUsage();
  const rows = await read(
    ["Handle", "Title", "Variant Price", column],
    [{ Handle: "h", Title: "T", "Variant Price": "5", [column]: `a${" ".repeat(80_000)}b` }],
  );
  expect(rows).toHaveLength(1);
  expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
});

it("reads the column names of today", async () => {
  const rows = await read(todaysColumns, [
    {
      Title: "Lamp",
      "URL handle": "lamp",
      Description: "<p>Light</p>",
      "Product category": "Home & Garden > Lighting > Lamps",
      Type: "lamps",
      "Published on online store": "TRUE",
      Status: "Active",
      SKU: "LA-1",
      Barcode: "9780201379624",
      "Option1 name": "Cord",
      "Option1 value": "Red",
      Price: "80",
      "Compare-at price": "100",
      "Inventory tracker": "shopify",
      "Inventory quantity": "0",
      "Continue selling when out of stock": "CONTINUE",
      "Product image URL": "https://cdn.example/lamp.png",
      "Variant image URL": "https://cdn.example/red.png",
    },
  ]);
  expect(own(rows)).toMatchObject([
    {
      id: "LA-1",
      title: "Lamp",
      description: "<p>Light</p>",
      price: "100",
      sale_price: "80",
      gtin: "9780201379624",
      availability: "backorder",
      // The type says the same as the last level of the path.
      product_type: ["Home & Garden > Lighting > Lamps"],
      item_group_id: "lamp",
      attributes: { Cord: ["Red"] },
      image_link: ["https://cdn.example/red.png", "https://cdn.example/lamp.png"],
    },
  ]);
});

it("shows values of a category's fields by name, not by handle", async () => {
  const fields = {
    "Color (product.metafields.shopify.color-pattern)": "gris-7; light-blue; Écru",
    "Shoe size (product.metafields.shopify.shoe-size)": "us-7; 38",
  };
  const rows = await read(
    ["Handle", "Title", "Variant SKU", "Variant Price", ...Object.keys(fields)],
    [{ Handle: "boot", Title: "Boot", "Variant SKU": "B", "Variant Price": "90", ...fields }],
  );
  expect(own(rows)).toMatchObject([
    { attributes: { Color: ["Gris", "Light blue", "Écru"], "Shoe size": ["Us 7", "38"] } },
  ]);
});

it.each([
  [
    "Published At",
    { "Published At": "2026-04-02 10:00:00 +0200", "Created At": "2026-04-01 10:00:00 +0200" },
  ],
  ["Created At", { "Created At": "2026-04-01 10:00:00 +0200" }],
])("takes %s for the day of the release", async (column, dates: Record<string, string>) => {
  const row = { Handle: "cup", Title: "Cup", "Variant SKU": "C", "Variant Price": "5", ...dates };
  expect(own(await read(Object.keys(row), [row]))).toMatchObject([{ released_at: dates[column] }]);
});

it("reads an export with today's columns and the former name of the handle", async () => {
  const columns = ["Handle", "Title", "SKU", "Option1 name", "Option1 value", "Price"];
  const rows = await read(columns, [
    { Handle: "cup", Title: "Cup", SKU: "C-R", "Option1 name": "Glaze", "Option1 value": "Red", Price: "5" },
    { Handle: "cup", SKU: "C-B", "Option1 value": "Blue", Price: "6" },
  ]);
  expect(own(rows)).toMatchObject([
    { id: "C-R", item_group_id: "cup" },
    { id: "C-B", title: "Cup", price: "6" },
  ]);
});
