import { firstProduct, nextProduct } from "@product-search/core/domain/next-product.ts";
import {
  type ProductInput,
  type ProductSource,
  productSources,
  type StoredProduct,
} from "@product-search/core/domain/product.ts";
import { createRandom, hostileStrings } from "@product-search/testing/hostile-strings.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { describe, expect, it, test } from "vitest";
import { readFeed } from "../formats/read-feed.ts";
import { kindOfMerchantRow, readMerchantRow } from "../rows/merchant-row.ts";
import { readNativeRow } from "../rows/native-row.ts";
import type { RowContext } from "../rows/row-checks.ts";
import { createFeedWriter, type ExportFormat, exportFormats } from "./export-formats.ts";

const nowMs = Date.UTC(2026, 10, 20);
const contextOf = (source: ProductSource, currency: string): RowContext => ({ source, currency, nowMs });

function stored(fields: object, source: ProductSource = "catalog", currency = "USD"): StoredProduct {
  const base = { id: "p-1", name: "Mug", url: "https://shop.example/mug", price: 12.5, storeName: "Shop" };
  const read = readNativeRow({ ...base, ...fields }, "products", contextOf(source, currency));
  if (!("change" in read) || !("name" in read.change)) throw new Error(JSON.stringify(read));
  return { ...firstProduct(read.change, nowMs).product, rowId: 1 };
}

function written(format: ExportFormat, products: readonly StoredProduct[], currency = "USD"): string {
  const writer = createFeedWriter(format, currency);
  const texts = products.map((product) => {
    const result = writer.product(product);
    if ("fault" in result) throw new Error(`${product.key} ${result.fault}`);
    return result.text;
  });
  return [writer.start, ...texts, writer.end].join("");
}

async function readBack(text: string, source: ProductSource, currency = "USD"): Promise<ProductInput[]> {
  const context = contextOf(source, currency);
  const inputs: ProductInput[] = [];
  async function* bytes() {
    yield Buffer.from(text);
  }
  for await (const rows of readFeed(bytes())) {
    for (const row of rows) {
      if ("fault" in row) throw new Error(JSON.stringify(row.fault));
      const read =
        "own" in row
          ? readNativeRow(row.own, "products", context)
          : readMerchantRow(row.merchant, row.kind ?? kindOfMerchantRow(row.merchant), context);
      if (!("change" in read) || !("name" in read.change)) throw new Error(JSON.stringify(read));
      expect(read).not.toHaveProperty("cutAttributes");
      inputs.push(read.change);
    }
  }
  return inputs;
}

/** What a second import of the products changes. */
async function changes(format: ExportFormat, products: readonly StoredProduct[], currency = "USD") {
  const [source = "catalog"] = products.map((product) => product.source);
  const inputs = await readBack(written(format, products, currency), source, currency);
  expect(inputs.map(({ key }) => key)).toEqual(products.map(({ key }) => key));
  return inputs.flatMap((input, at) => {
    const before = products[at];
    const after = before && nextProduct(before, input, nowMs, () => []);
    return after === undefined ? [] : [{ before, after }];
  });
}

const complete = {
  description: "A mug for tea & coffee.",
  brand: "Acme",
  categoryPaths: [["Home", "Kitchen", "Mugs"], ["Gifts"]],
  groupId: "MUG",
  attributes: { color: ["Black", "Navy"], size: ["M", "L"], finish: "matt", capacity: ["300 ml"] },
  gtin: "4006381333931",
  mpn: "NX-1",
  language: "en",
  images: ["https://shop.example/1.jpg", "/images/2.jpg", "https://shop.example/3.jpg?a=1,2&b"],
  originalPrice: 20,
  availability: "preorder",
  averageRating: 4.3,
  reviewCount: 12,
  isVerified: true,
  isBoosted: false,
  releasedAt: "2026-05-01T10:00:00.000Z",
  rank: -7.5,
  tags: ["summer", "gift"],
  custom: { badge: "New", delivery: { days: [1, 2] } },
};

/** Each field with text that a reader could take for something else. */
const hostile = {
  id: `=1+1,"a;b"<b>&amp;`,
  name: `=HYPERLINK("x") &amp;lt;b&amp;gt; 5 < 6 "24"" &`,
  description:
    "Tags: &amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt; ]]> \u2028 &amp;amp;nbsp; -- ’ 😀",
  brand: "+A &amp;amp; B",
  storeName: "@shop &amp;lt;i",
  categoryPaths: [["Tea > Coffee", "A &amp;amp; B", "50 %"], ["x &amp;lt;y"], [">"]],
  groupId: "<g>&amp;,:/",
  attributes: {
    color: ["Black/White", "Red"],
    material: "Cotton",
    size: ["S/M", "&amp;lt;b"],
    "width: in, cm": ["a, b: c: d", ":", "1:2:3"],
    __proto__x: "y",
    "&amp;lt;n": "v",
  },
  mpn: "-1 &amp;lt;x",
  tags: ["a, b", "[x", '"; &amp;lt;i'],
  custom: { "<b>": "&amp;lt;i&amp;gt; ]]> 😀", list: [null, "a,b"] },
  images: ["/a.jpg,https://x.example/1", "https://shop.example/2.jpg?<>&amp;'\""],
};

describe.each(exportFormats)("%s", (format) => {
  it("is read back without a change", async () => {
    expect(await changes(format, [stored(complete), stored({ id: "p-2" })])).toEqual([]);
  });

  it("holds what looks like markup, a list, a path or a formula", async () => {
    expect(await changes(format, [stored(hostile)])).toEqual([]);
  });

  it.each(productSources)("keeps keys of %s that look like those of a marketplace", async (source) => {
    const products = ["marketplace-a_1", "marketplace-b_marketplace-b_1", "1"].map((key) =>
      stored({ id: source === "catalog" ? key : `${source}_${key}` }, source),
    );
    expect(await changes(format, products)).toEqual([]);
  });

  it.each([
    ["JPY", 1299],
    ["KWD", 1.234],
    ["EUR", 1_000_000_000],
    ["USD", 0],
  ])("writes prices in %s", async (currency, price) => {
    expect(await changes(format, [stored({ price }, "catalog", currency)], currency)).toEqual([]);
  });

  it("holds the most attributes that a product may have", async () => {
    const names = Array.from({ length: 50 }, (_, name) => [
      `name ${name}`,
      Array.from({ length: 20 }, (__, value) => `value ${value}`),
    ]);
    expect(await changes(format, [stored({ attributes: Object.fromEntries(names) })])).toEqual([]);
  });

  it("holds hostile text in every field", async () => {
    const random = createRandom(testSeed("exported text"));
    const pieces = [
      ...hostileStrings.filter((text) => text.length < 200),
      "&amp;",
      "&lt;b&gt;",
      ">",
      "/",
      ":",
      ",",
      " ",
    ];
    const pick = () =>
      Array.from({ length: 4 }, () => pieces[Math.floor(random() * pieces.length)] ?? "").join("");
    for (let run = 0; run < 150; run += 1) {
      const product = stored({
        name: `n${pick()}`,
        description: pick(),
        brand: pick(),
        storeName: pick(),
        mpn: pick(),
        categoryPaths: [[pick(), pick()], [pick()]],
        attributes: Object.fromEntries([
          [pick(), [pick(), pick()]],
          ["color", [pick(), pick()]],
          ["size", [pick(), pick()]],
        ]),
      });
      expect(await changes(format, [product]), JSON.stringify(product)).toEqual([]);
    }
  });
});

test.each(["google", "openai"] as const)(
  "%s keeps an image whose address has another one in it",
  async (format) => {
    const images = ["https://shop.example/1.jpg", "https://cdn.example/?of=a,https://shop.example/2.jpg"];
    const [read] = await readBack(written(format, [stored({ images })]), "catalog");
    expect(read?.images).toEqual([images[0], "https://cdn.example/?of=a%2Chttps://shop.example/2.jpg"]);
  },
);

test("an XML feed leaves out a key that XML cannot hold", () => {
  const product = { ...stored({}), key: "a\uffff" };
  expect(createFeedWriter("google", "USD").product(product)).toEqual({
    fault: "has characters that XML cannot hold",
  });
});

test.each([
  ["2024-01-01", "2024-02-01", { priceMinor: 2000 }],
  ["2999-01-01", "", { priceMinor: 2000 }],
  ["", "2999-01-01", { priceMinor: 1250, originalPriceMinor: 2000 }],
])("OpenAI's sale from %j to %j", async (from, to, expected) => {
  const table =
    "item_id,title,url,price,sale_price,sale_price_start_date,sale_price_end_date,availability\n" +
    `S-1,Mug,https://shop.example/mug,20.00 USD,12.50 USD,${from},${to},in_stock\n`;
  const [product] = await readBack(table, "catalog");
  expect({ priceMinor: product?.priceMinor, originalPriceMinor: product?.originalPriceMinor }).toEqual({
    originalPriceMinor: undefined,
    ...expected,
  });
});

test("a table with OpenAI's names is read", async () => {
  const table =
    "item_id,title,url,image_url,additional_image_urls,price,sale_price,availability,product_category,group_id,seller_name,star_rating\n" +
    'S-1,Mug,https://shop.example/mug,https://shop.example/1.jpg,"https://shop.example/2.jpg,https://shop.example/3.jpg",20.00 USD,12.50 USD,pre_order,Home > Mugs,MUG,Acme,4.5\n';
  expect(await readBack(table, "catalog")).toEqual([
    expect.objectContaining({
      key: "S-1",
      url: "https://shop.example/mug",
      images: [1, 2, 3].map((number) => `https://shop.example/${number}.jpg`),
      priceMinor: 1250,
      originalPriceMinor: 2000,
      availability: "preorder",
      categoryPaths: [["Home", "Mugs"]],
      groupId: "MUG",
      storeName: "Acme",
      averageRating: 4.5,
    }),
  ]);
});
