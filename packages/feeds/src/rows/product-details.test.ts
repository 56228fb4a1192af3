import { Readable } from "node:stream";
import type { FeedChange } from "@product-search/core/domain/product.ts";
import { createRandom, hostileStrings, randomString } from "@product-search/testing/hostile-strings.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { describe, expect, it, test } from "vitest";
import type { FeedRow, MerchantRecord } from "../formats/feed-row.ts";
import { readFeed } from "../formats/read-feed.ts";
import { readMerchantRow } from "./merchant-row.ts";
import { readNativeRow } from "./native-row.ts";
import type { ReadRow, RowContext } from "./row-checks.ts";

describe("product details", () => {
  const context: RowContext = { source: "catalog", currency: "USD", nowMs: Date.UTC(2026, 10, 20) };
  const base = { id: "S1", title: "Shirt", link: "https://shop.example/s1", price: "20.00 USD" };

  function merchant(fields: Record<string, string | string[]>, rules = context) {
    const record: MerchantRecord = new Map(
      Object.entries({ ...base, ...fields }).map(([name, value]) => [
        name,
        Array.isArray(value) ? value : [value],
      ]),
    );
    return readMerchantRow(record, "products", rules);
  }
  const native = (fields: object) =>
    readNativeRow(
      { _id: "S1", name: "Shirt", url: "https://shop.example/s1", price: 20, ...fields },
      "products",
      context,
    );
  const changeOf = (read: ReturnType<typeof merchant>) => ("change" in read ? read.change : read.fault);

  describe("Google's columns", () => {
    test("become attributes, group and numbers", () => {
      const read = merchant({
        color: "Black/Navy Blue",
        size: "S/M",
        material: "Cotton / Elastane",
        pattern: "Striped",
        gender: "unisex",
        age_group: "adult",
        condition: "new",
        size_type: "petite",
        size_system: "EU",
        item_group_id: "SHIRT",
        mpn: "NX-1",
      });
      expect(changeOf(read)).toMatchObject({
        groupId: "SHIRT",
        mpn: "NX-1",
        attributes: {
          color: ["Black", "Navy Blue"],
          size: ["S/M"],
          material: ["Cotton", "Elastane"],
          pattern: ["Striped"],
          gender: ["unisex"],
          age_group: ["adult"],
          condition: ["new"],
          size_type: ["petite"],
          size_system: ["EU"],
        },
      });
      expect(read).not.toHaveProperty("cutAttributes");
    });

    test("product_detail is one attribute by its name, several in one value too", () => {
      const details = "General:Sleeve:Long, fitted,Care:Wash temperature:30 °C,:Time:12:30,Neck:V";
      expect(changeOf(merchant({ product_detail: details }))).toMatchObject({
        attributes: { sleeve: ["Long, fitted"], "wash temperature": ["30 °C"], time: ["12:30,Neck:V"] },
      });
      expect(changeOf(merchant({ product_detail: ["Fit:Slim", "no colon"] }))).toMatchObject({
        attributes: { fit: ["Slim"] },
      });
    });

    test("what a variant is chosen by is an attribute, unless a column has its name", () => {
      const fields = {
        color: "Black/White",
        variant_option: "Shoe width:narrow, Color:Black/White",
        variant_dict: '{"Shoe Size": 8, "color": "Black", "fit": ["slim", {"no": "text"}]}',
        custom_variant1_category: "Size_Type",
        custom_variant1_option: "Petite",
        custom_variant2_option: "without a name",
      };
      expect(Object(changeOf(merchant(fields))).attributes).toEqual({
        color: ["Black", "White"],
        "shoe width": ["narrow"],
        "shoe size": ["8"],
        fit: ["slim"],
        size_type: ["Petite"],
      });
    });

    test.each(["red", "null", "[1]", "{", '{"a":'])("a variant_dict of %s is ignored", (variant_dict) => {
      expect(changeOf(merchant({ variant_dict }))).toMatchObject({ name: "Shirt" });
      expect(changeOf(merchant({ variant_dict }))).not.toHaveProperty("attributes");
    });

    test("what a variant is chosen by is read from JSON and XML too", async () => {
      const deep: unknown = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
      const { id, ...others } = base;
      const json = {
        ...others,
        item_id: id,
        variant_dict: { color: "red", size: 42, deep },
        variantOptions: [{ name: "Fit: all", value: "a, b" }],
      };
      expect(Object(changeOf(readNativeRow(json, "products", context))).attributes).toEqual({
        color: ["red"],
        size: ["42"],
        "fit all": ["a, b"],
      });
      const xml = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>S1</g:id>
      <g:variant_option><g:name>Shoe width</g:name><g:value>narrow</g:value></g:variant_option>
      <g:variant_option><g:name>Size</g:name><g:value>8</g:value></g:variant_option></item></channel></rss>`;
      const rows: FeedRow[] = [];
      for await (const batch of readFeed(Readable.from([Buffer.from(xml)]))) rows.push(...batch);
      expect(rows[0]).toMatchObject({
        merchant: new Map([
          ["id", ["S1"]],
          ["variant_option", ["Shoe width:narrow", "Size:8"]],
        ]),
      });
    });

    test("too much is cut and named, and the product is kept", () => {
      const read = merchant({ size: Array.from({ length: 23 }, (_, at) => `${at}`), color: "x".repeat(300) });
      expect(read).toMatchObject({ cutAttributes: ["color", "size", "size", "size"] });
      expect(changeOf(read)).toMatchObject({ attributes: { size: { length: 20 }, color: { length: 1 } } });
    });

    test("a group with a very long name is refused: a part of it could be another group", () => {
      expect(changeOf(merchant({ item_group_id: "g".repeat(201) }))).toMatchObject({
        field: "item_group_id",
      });
      expect(changeOf(merchant({ item_group_id: " " }))).not.toHaveProperty("groupId");
    });
  });

  describe("the category", () => {
    test.each([
      [{ product_type: "Home > Sofas" }, { category: "Sofas", categoryPaths: [["Home", "Sofas"]] }],
      [
        { product_type: ["Home>Sofas", "Gifts &amp; more"] },
        { category: "Sofas", categoryPaths: [["Home", "Sofas"], ["Gifts & more"]] },
      ],
      [{ product_type: "Sofas", google_product_category: "187" }, { category: "Sofas" }],
      [{ google_product_category: "187" }, { category: "187" }],
      [
        { google_product_category: "187 - Apparel & Accessories > Shoes" },
        { category: "Shoes", categoryPaths: [["Apparel & Accessories", "Shoes"]] },
      ],
    ])("of %j is %j", (fields, expected) => {
      const { category, categoryPaths } = Object(changeOf(merchant(fields)));
      expect({ category, categoryPaths }).toEqual({ categoryPaths: undefined, ...expected });
    });

    test("can have another separator, which does not hold for Google's taxonomy", () => {
      const rules = { ...context, categorySeparator: "/" };
      expect(changeOf(merchant({ product_type: "Home/TV > 50 in" }, rules))).toMatchObject({
        categoryPaths: [["Home", "TV > 50 in"]],
      });
      expect(changeOf(merchant({ google_product_category: "Home > Sofas" }, rules))).toMatchObject({
        categoryPaths: [["Home", "Sofas"]],
      });
    });

    test.each([
      [{ category: "Home > Sofas" }, [["Home", "Sofas"]]],
      [{ category: ["Home > Sofas", "Gifts"] }, [["Home", "Sofas"], ["Gifts"]]],
      [{ category: "Sofas", categoryPath: ["Home > Garden", "Sofas"] }, [["Home > Garden", "Sofas"]]],
      [{ category: "x", categoryPaths: [["Home", "Sofas"], ["Gifts"]] }, [["Home", "Sofas"], ["Gifts"]]],
    ])("of the native row %j is %j", (fields, expected) => {
      expect(changeOf(native(fields))).toMatchObject({ categoryPaths: expected });
    });

    test.each([
      ["category", 5],
      ["category", ["a", 5]],
      ["categoryPath", "Home > Sofas"],
      ["categoryPaths", ["Home"]],
    ])("%s: %j is refused", (field, value) => {
      expect(changeOf(native({ [field]: value }))).toMatchObject({ field });
    });
  });

  describe("native rows", () => {
    test("have attributes of any simple kind", () => {
      const attributes = { Color: "Black", Sizes: ["M", 42], organic: true, none: null, empty: "" };
      expect(changeOf(native({ attributes, groupId: 17, mpn: 99 }))).toMatchObject({
        groupId: "17",
        mpn: "99",
        attributes: { color: ["Black"], sizes: ["M", "42"], organic: ["true"] },
      });
    });

    test.each([[["a"]], ["x"], [{ color: { name: "Black" } }], [{ color: [["Black"]] }]])(
      "with the attributes %j are refused",
      (attributes) => {
        expect(changeOf(native({ attributes }))).toMatchObject({ field: "attributes" });
      },
    );

    test("with Google's names may have both kinds of attributes, and details as in Google's APIs", () => {
      const { title, ...rest } = base;
      const row = {
        ...rest,
        title,
        itemGroupId: "SHIRT",
        color: "Black",
        productDetails: [{ sectionName: "General", attributeName: "Fit: cut", attributeValue: "Slim: very" }],
        attributes: { color: "Navy", season: "Winter" },
      };
      expect(changeOf(readNativeRow(row, "products", context))).toMatchObject({
        groupId: "SHIRT",
        attributes: { color: ["Black", "Navy"], "fit cut": ["Slim: very"], season: ["Winter"] },
      });
    });
  });

  describe("XML", () => {
    test("has its details in elements of their own", async () => {
      const xml = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item>
      <g:id>S1</g:id><g:title>Shirt</g:title><g:link>https://shop.example/s1</g:link><g:price>20.00 USD</g:price>
      <g:shipping><g:country>US</g:country></g:shipping>
      <g:product_detail><g:section_name>A:B</g:section_name><g:attribute_name>Fit</g:attribute_name>
        <g:attribute_value>Slim: very</g:attribute_value></g:product_detail>
      <g:product_detail><g:attribute_name>Neck</g:attribute_name><g:attribute_value>V</g:attribute_value></g:product_detail>
      <g:product_detail><g:attribute_name>Nothing</g:attribute_name></g:product_detail>
      <g:product_type>Home &gt; Shirts</g:product_type><g:product_type>Gifts</g:product_type>
      </item></channel></rss>`;
      const rows: FeedRow[] = [];
      async function* chunks() {
        for (let at = 0; at < xml.length; at += 7) yield Buffer.from(xml.slice(at, at + 7));
      }
      for await (const some of readFeed(chunks())) rows.push(...some);
      const changes = rows.map((row): FeedChange | object =>
        "merchant" in row ? changeOf(readMerchantRow(row.merchant, "products", context)) : row,
      );
      expect(changes).toMatchObject([
        {
          attributes: { fit: ["Slim: very"], neck: ["V"] },
          categoryPaths: [["Home", "Shirts"], ["Gifts"]],
        },
      ]);
    });
  });
});

describe("hostile rows", () => {
  const random = createRandom(testSeed("hostile rows"));

  const context: RowContext = { source: "catalog", currency: "USD", nowMs: Date.UTC(2026, 10, 20) };
  const native = {
    _id: "p_1",
    name: "Mug",
    price: 12.5,
    brand: "Acme",
    category: "Cups",
    storeName: "Shop",
    description: "A mug.",
    url: "https://shop.example/mug",
    images: ["https://shop.example/mug.jpg", "/images/mug.jpg"],
    availability: "in_stock",
    language: "en",
    gtin: "4006381333931",
  };
  const merchant: Readonly<Record<string, string>> = {
    id: "p_1",
    title: "Mug",
    price: "12.50 USD",
    brand: "Acme",
    product_type: "Home > Cups",
    store_name: "Shop",
    description: "A mug.",
    link: "https://shop.example/mug",
    image_link: "https://shop.example/mug.jpg",
    additional_image_link: "https://shop.example/mug-2.jpg,https://shop.example/mug-3.jpg",
    availability: "in stock",
    language: "en",
    gtin: "4006381333931",
  };

  /** Every string field of a product that is stored. */
  const stored = (row: ReadRow): string[] =>
    "change" in row
      ? Object.values(row.change)
          .flat()
          .filter((value) => typeof value === "string")
      : [];

  /** Every text with hostile parts at its start, middle and end. */
  const variants = (valid: string) => {
    const texts = [...hostileStrings, ...Array.from({ length: 200 }, () => randomString(random))];
    const middle = valid.length - 3;
    return texts.flatMap((text) => [
      text,
      text + valid,
      valid.slice(0, middle) + text + valid.slice(middle),
      valid + text,
    ]);
  };

  describe("no stored text or URL has control characters or lone surrogates", () => {
    it.each(Object.keys(native))("native %s", (field) => {
      const value = Object.entries(native).find(([name]) => name === field)?.[1];
      for (const text of variants(Array.isArray(value) ? "https://shop.example/mug.jpg" : String(value))) {
        const row = readNativeRow(
          { ...native, [field]: Array.isArray(value) ? [text] : text },
          "products",
          context,
        );
        for (const one of stored(row)) expect(one).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }
    });

    it.each(Object.keys(merchant))("merchant %s", (field) => {
      for (const text of variants(merchant[field] ?? "")) {
        const record = new Map(
          Object.entries({ ...merchant, [field]: text }).map(([name, one]) => [name, [one]]),
        );
        for (const one of stored(readMerchantRow(record, "products", context)))
          expect(one).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }
    });
  });

  describe("the URL of a row", () => {
    const read = (url: string) => {
      const row = readNativeRow({ ...native, url }, "products", context);
      return "change" in row ? Reflect.get(row.change, "url") : row.fault.reason;
    };

    it.each([
      ["https://shop.example/a\u0000b", "https://shop.example/a%00b"],
      ["https://shop.example/a\tb\r\nc", "https://shop.example/abc"],
      ["https://shop.example/?q=\u0001\u007f\u0085", "https://shop.example/?q=%01%7F%C2%85"],
      ["https://shop.example/#\u0000a", "https://shop.example/#%00a"],
      ["https://shop.example/\ud800", "https://shop.example/%EF%BF%BD"],
      ["https://shop.example/a\u2028b", "https://shop.example/a%E2%80%A8b"],
      ["/images/a\u0000.jpg?x=\u0001y", "/images/a%00.jpg?x=%01y"],
    ])("is stored as it is parsed: %j", (url, parsed) => {
      expect(read(url)).toBe(parsed);
    });

    it.each([
      "https://shop.example",
      "https://shop.example/M\u00fcsli?a=b c#d",
      "HTTPS://Shop.Example/A/../b",
      "/images/x.jpg",
    ])("does not change otherwise: %s", (url) => {
      expect(read(url)).toBe(url);
    });

    it.each([
      "https://shop\u0000.example/",
      "/\t/evil.example/",
      "/\n\\evil.example/",
      "java\tscript:alert(1)",
    ])("is refused if it is none or leaves the service: %j", (url) => {
      expect(read(url)).toContain("is not an http or https URL");
    });

    it("is refused if it is too long when it is percent-encoded", () => {
      expect(read(`https://shop.example/${"\u0000".repeat(1000)}a`)).toContain("percent-encoded");
    });
  });

  it("the name of the store that a feed gives for all its rows is plain text too", () => {
    const row = readNativeRow({ ...native, storeName: undefined }, "products", {
      ...context,
      storeName: " A\u0085\u0000B ",
    });
    expect("change" in row && Reflect.get(row.change, "storeName")).toBe("A B");
  });
});
