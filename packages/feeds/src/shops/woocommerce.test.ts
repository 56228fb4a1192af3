import { describe, expect, it } from "vitest";
import type { FeedRow } from "../formats/feed-row.ts";
import { readFeed } from "../formats/read-feed.ts";

const columns = [
  "ID",
  "Type",
  "SKU",
  "GTIN, UPC, EAN, or ISBN",
  "Name",
  "Published",
  "Visibility in catalog",
  "Short description",
  "Description",
  "Date sale price starts",
  "Date sale price ends",
  "In stock?",
  "Stock",
  "Sale price",
  "Regular price",
  "Categories",
  "Tags",
  "Images",
  "Parent",
  "External URL",
  "Attribute 1 name",
  "Attribute 1 value(s)",
  "Attribute 1 visible",
  "Attribute 1 global",
  "Attribute 2 name",
  "Attribute 2 value(s)",
  "Attribute 2 visible",
  "Attribute 2 global",
  "Brands",
];

async function read(
  rows: readonly Record<string, string>[],
  attributes?: string[],
  isMapRequired = false,
): Promise<FeedRow[]> {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const shown = { Published: "1", "Visibility in catalog": "visible", "In stock?": "1" };
  const lines = rows.map((row) => columns.map((column) => ({ ...shown, ...row })[column] ?? ""));
  const text = [columns, ...lines].map((line) => line.map(quote).join(",")).join("\n");
  const maps = attributes === undefined ? [] : [{ fields: {}, attributes }];
  const read: FeedRow[] = [];
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  for await (const group of readFeed(chunks, { maps, isMapRequired })) read.push(...group);
  return read;
}

const own = (rows: readonly FeedRow[]) => rows.map((row) => ("own" in row ? row.own : row));

const jumper = {
  ID: "10",
  Type: "variable",
  SKU: "jumper",
  Name: "Jumper",
  "Short description": "Short",
  Description: "Warm\\nwool",
  Categories: "Clothing > Knitwear, Sale\\, last pieces",
  Images: "https://shop.example/a.jpg, https://shop.example/b.jpg",
  Brands: "Moor",
  Tags: "winter, gift",
  "Attribute 1 name": "Colour",
  "Attribute 1 value(s)": "Rust, Moss",
  "Attribute 1 visible": "1",
  "Attribute 2 name": "Yarn",
  "Attribute 2 value(s)": "Wool\\, washed",
  "Attribute 2 visible": "1",
};
const rust = {
  ID: "11",
  Type: "variation",
  SKU: "jumper-rust",
  Name: "Jumper - Rust",
  Parent: "jumper",
  "Regular price": "60",
  "Sale price": "45",
  Images: "https://shop.example/rust.jpg",
  "Attribute 1 name": "Colour",
  "Attribute 1 value(s)": "Rust",
};
const any = {
  ID: "12",
  Type: "variation",
  Parent: "id:10",
  "Regular price": "60",
  "Attribute 1 name": "colour",
  "In stock?": "backorder",
};

describe("variations", () => {
  const merged = [
    {
      id: "jumper-rust",
      title: "Jumper - Rust",
      description: "Warm\nwool",
      brand: "Moor",
      price: "60",
      sale_price: "45",
      availability: "in_stock",
      product_type: ["Clothing > Knitwear", "Sale, last pieces"],
      image_link: ["rust", "a", "b"].map((name) => `https://shop.example/${name}.jpg`),
      item_group_id: "jumper",
      attributes: { Colour: ["Rust"], Yarn: ["Wool, washed"] },
    },
    {
      id: "id:12",
      title: "Jumper",
      availability: "backorder",
      item_group_id: "jumper",
      attributes: { Colour: ["Rust", "Moss"], Yarn: ["Wool, washed"] },
    },
  ];

  it("take what their parent has; the parent itself is no product", async () => {
    const cap = { ID: "9", Type: "simple", Name: "Cap", "Regular price": "9" };
    expect(own(await read([jumper, cap, rust, any]))).toMatchObject([{ id: "id:9" }, ...merged]);
  });

  it("may come before their parent", async () => {
    expect(own(await read([rust, any, jumper]))).toMatchObject(merged);
  });

  it("without a parent in the file are what their own row says", async () => {
    expect(own(await read([rust]))).toMatchObject([
      {
        id: "jumper-rust",
        title: "Jumper - Rust",
        item_group_id: "jumper",
        attributes: { Colour: ["Rust"] },
      },
    ]);
  });

  it("without any name are refused alone", async () => {
    expect(await read([any, rust])).toMatchObject([
      { fault: { field: "Name" } },
      { own: { id: "jumper-rust" } },
    ]);
  });

  it("are not shown if their parent is not", async () => {
    expect(own(await read([{ ...jumper, Published: "-1" }, rust]))).toEqual([
      { id: "jumper-rust", deleted: true },
    ]);
  });

  it("are refused if their parent is too far above to be kept", async () => {
    const Description = "x".repeat(960_000);
    const others = Array.from({ length: 70 }, (_, n) => ({
      ...jumper,
      ID: `${100 + n}`,
      SKU: `p${n}`,
      Description,
    }));
    expect(
      (await read([jumper, ...others, rust, { ...rust, SKU: "near", Parent: "p69" }])).toReversed(),
    ).toMatchObject([
      { fault: { field: "Parent" }, record: { own: { id: "jumper-rust" } } },
      { own: { id: "near", attributes: { Yarn: ["Wool, washed"] } } },
    ]);
  });

  it.each(["Tags", " tags"])("take a column for attributes from their parent, too: %j", async (column) => {
    expect(own(await read([jumper, rust], [column]))).toMatchObject([
      { attributes: { Tags: ["winter", "gift"], Colour: ["Rust"] } },
    ]);
  });

  it("name the column that is most like one that the table lacks", async () => {
    await expect(read([jumper], ["Brand"], true)).rejects.toThrow(
      /no column Brand: did you mean Brands\? Columns: ID, Type/,
    );
  });
});

const mug = { ID: "20", Type: "simple, virtual", SKU: "mug", Name: "Mug", "Regular price": "8" };

it.each([
  [{ Published: "0" }],
  [{ Published: "-1" }],
  [{ Published: "2" }],
  [{ "Visibility in catalog": "hidden" }],
  [{ "Visibility in catalog": "catalog" }],
])("a product with %j is not shown to who searches", async (state) => {
  expect(own(await read([{ ...mug, ...state }]))).toEqual([{ id: "mug", deleted: true }]);
});

it("reads stock, sales with a period, external products and hidden attributes", async () => {
  const rows = await read([
    {
      ...mug,
      "In stock?": "0",
      "Attribute 1 name": "Glaze",
      "Attribute 1 value(s)": "Blue",
      "Attribute 1 visible": "0",
    },
    {
      ...{
        ID: "21",
        Type: "external",
        Name: "Book",
        "Regular price": "20",
        "External URL": "https://other.example/b",
      },
      ...{
        "Sale price": "15",
        "Date sale price ends": "2030-02-28",
        "GTIN, UPC, EAN, or ISBN": "9780201379624",
      },
    },
    { ID: "22", Type: "grouped", Name: "Set" },
    { ...mug, ID: "23", SKU: "'-12" },
  ]);
  expect(own(rows)).toMatchObject([
    { id: "mug", availability: "out_of_stock", attributes: {} },
    {
      id: "id:21",
      link: "https://other.example/b",
      gtin: "9780201379624",
      sale_price_effective_date: "1970-01-01/2030-02-28T23:59:59Z",
    },
    { id: "-12" },
  ]);
});

it("keeps the key of a row that has too few values", async () => {
  const text =
    "ID,Type,SKU,Name,Published,Regular price,Parent\n7,simple,SK-7,Chair,1\n8,simple,,Sofa\n9,simple,,Bed,1,5,\n";
  const chunks = async function* () {
    yield Buffer.from(text);
  };
  const rows: FeedRow[] = [];
  for await (const group of readFeed(chunks())) rows.push(...group);
  expect(rows).toMatchObject([
    { line: 2, record: { own: { id: "SK-7" } } },
    { line: 3, record: { own: { id: "id:8" } } },
    { own: { title: "Bed" } },
  ]);
});

it.each([
  ["ID,Typ,Artikelnummer,Name,Preis\n7,simple,mug,Mug,8\n"],
  ["ID,Type,UGS,Nom,Tarif régulier\n7,variable,mug,Mug,\n8,variation,mug-red,Mug,8\n"],
  ['ID,Tipo,SKU,Nombre\n7,"simple, virtual",mug,Mug\n'],
])("says what to do with translated column names", async (table) => {
  const chunks = (async function* () {
    yield Buffer.from(table);
  })();
  const reading = async () => {
    for await (const _ of readFeed(chunks));
  };
  await expect(reading()).rejects.toThrow(/WooCommerce.*language.*English/);
});

it.each(["Date", "Date created", "Date published"])("takes %s for the day of the release", async (column) => {
  const days = ["2025-12-24 10:00:00", "24.12.2025"];
  const rows = days.map((day, at) => `${at},simple,Mug,1,5,4.5,${day}`);
  const chunks = (async function* () {
    yield Buffer.from([`ID,Type,Name,Published,Regular price,Average rating,${column}`, ...rows].join("\n"));
  })();
  const unused: unknown[] = [];
  const read: FeedRow[] = [];
  for await (const group of readFeed(chunks, {
    onTable: (layout) => void unused.push(layout.unused?.columns),
  }))
    read.push(...group);
  expect(own(read)).toMatchObject([{ released_at: days[0] }, { released_at: undefined }]);
  expect(unused).toEqual([[]]);
});

it.each(["Visibility in catalogue", "Catalog visibility"])(
  "does not show what is hidden by %s",
  async (column) => {
    const text = `Type,SKU,Name,Published,${column},Regular price\nsimple,A,Cup,1,hidden,5\nsimple,B,Jug,1,visible,6\n`;
    const chunks = (async function* () {
      yield Buffer.from(text);
    })();
    const rows: FeedRow[] = [];
    for await (const group of readFeed(chunks)) rows.push(...group);
    expect(own(rows)).toMatchObject([
      { id: "A", deleted: true },
      { id: "B", title: "Jug" },
    ]);
  },
);
