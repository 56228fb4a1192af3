import { previewFeed } from "@product-search/features/catalog-write/import/preview-feed.ts";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { describeImport, describePreview } from "../../src/cli/support/describe-import.ts";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

describe("other tables", () => {
  let fixture: ImportFixture;
  beforeEach(async () => {
    fixture = await createImportFixture();
  });
  afterEach(() => fixture.close());

  const never = () => new AbortController().signal;
  const byKey = async () =>
    Object.fromEntries((await fixture.products()).map((product) => [product.key, product]));

  const shopify = (price: string, status = "active") =>
    [
      "Handle,Title,Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Compare At Price,Image Src,Status",
      `vase,Vase,Clay,Glaze,Teal,V-T,${price},40.00,https://cdn.example/v.jpg,${status}`,
      "vase,,,,Sand,V-S,30.00,,,",
      "jug,Jug,Clay,Title,Default Title,,20.00,,,active",
      "",
    ].join("\n");

  describe("a shop's export", () => {
    it("is imported without options; a sale shows its former price at once, and no discount yet", async () => {
      const feed = fixture.file(shopify("25.00"));
      expect(await fixture.run(feed)).toMatchObject({
        created: 3,
        refused: 0,
        layout: "Shopify's product export",
      });
      const { "V-T": teal, jug } = await byKey();
      expect(teal).toMatchObject({
        ...{ priceMinor: 2500, originalPriceMinor: 4000, discountVal: 0, groupId: "vase", brand: "Clay" },
        url: `/products/${teal?.slug}`,
        attributes: { glaze: ["Teal"] },
      });
      expect(jug).toMatchObject({ priceMinor: 2000, url: `/products/${jug?.slug}` });
      expect(await fixture.run(feed)).toMatchObject({ unchanged: 3 });
    });

    it("has addresses in the shop if its address is given once", async () => {
      await fixture.run(fixture.file(shopify("25.00")), { site: "https://clay.example/en/" });
      expect((await byKey())["V-S"]).toMatchObject({
        url: "https://clay.example/en/products/vase",
        storeName: "clay.example",
      });
      expect(await fixture.run(fixture.file(shopify("24.00")))).toMatchObject({ updated: 1, unchanged: 2 });
    });

    it("says once which columns were not kept, with their part of the rows", async () => {
      const text = [
        "Handle,Title,Variant Price,Variant Grams,SEO Title,Image Alt Text,Empty",
        "vase,Vase,5,200,,Round,",
        "vase,,6,300,,,",
        "jug,Jug,7,,Jugs,,",
        "cup,Cup,8,50,,,",
      ].join("\n");
      const summary = await fixture.run(fixture.file(`${text}\n`));
      expect(summary).toMatchObject({
        ignoredFields: ["Variant Grams", "SEO Title", "Image Alt Text"],
        ignoredShares: { "Variant Grams": 0.75, "SEO Title": 0.25, "Image Alt Text": 0.25 },
      });
      expect(describeImport(summary, 1)).toContain(
        "not kept: Variant Grams (75 %), SEO Title (25 %), Image Alt Text (25 %)",
      );
      const woo =
        "ID,Type,SKU,Name,Published,Regular price,Stock,Weight (kg)\n1,simple,A,Cup,1,5,3,\n2,simple,B,Jug,1,6,4,2\n";
      expect(await fixture.run(fixture.file(woo))).toMatchObject({
        ignoredShares: { Stock: 1, "Weight (kg)": 0.5 },
      });
    });

    it("keeps the name of its store when only the address is given later", async () => {
      await fixture.run(fixture.file(shopify("25.00")), { storeName: "Clay & Co" });
      await fixture.run(fixture.file(shopify("25.00")), { site: "https://clay.example" });
      await fixture.run(fixture.file(shopify("24.00")));
      expect((await byKey())["V-T"]).toMatchObject({
        ...{ url: "https://clay.example/products/vase", storeName: "Clay & Co", priceMinor: 2400 },
      });
    });

    it("deletes what the shop no longer shows, and names the columns of refused rows", async () => {
      await fixture.run(fixture.file(shopify("25.00")));
      expect(await fixture.run(fixture.file(shopify("25.00", "draft")))).toMatchObject({
        ...{ removed: 2, unchanged: 1, unpublished: 2 },
      });
      await fixture.run(fixture.file(shopify("about 25")));
      expect(fixture.rejected).toMatchObject([{ line: 2, key: "V-T", field: "Variant Price" }]);
    });
  });

  const table = (price: string) => `Code,Wine,Bottle,Grape\nW1,Rioja,${price},Tempranillo\nW2,Cava,9,\n`;
  const map = { fields: { id: "Code", title: "Wine", price: "Bottle" }, attributes: ["Grape"] };

  describe("a table with other columns", () => {
    it("is read with its map, which is saved for later feeds of the source", async () => {
      await expect(fixture.run(fixture.file(table("12")))).rejects.toThrow(/--map id=Code/);
      expect(await fixture.run(fixture.file(table("12")), { map, storeName: "Cellar" })).toMatchObject({
        ...{ created: 2, isMapSaved: true },
      });
      expect(await byKey()).toMatchObject({
        W1: { name: "Rioja", priceMinor: 1200, storeName: "Cellar", attributes: { grape: ["Tempranillo"] } },
      });
      expect(await fixture.run(fixture.file(table("11")))).toMatchObject({
        updated: 1,
        unchanged: 1,
        refused: 0,
      });
      // Google's columns are read as before.
      expect(await fixture.run(fixture.file("id,price\nW2,8\n"))).toMatchObject({ updated: 1, notFound: 0 });
      // Another source has no map.
      await expect(fixture.run(fixture.file(table("12")), { source: "marketplace-a" })).rejects.toThrow(
        /--map/,
      );
    });

    it("is not understood any more when the maps are forgotten", async () => {
      await fixture.run(fixture.file(table("12")), { map });
      await expect(fixture.run(fixture.file(table("11")), { map: "none" })).rejects.toThrow(/--map/);
      await expect(fixture.run(fixture.file(table("11")))).rejects.toThrow(/--map/);
    });

    it("saves no map that could not be used", async () => {
      const wrong = { ...map, fields: { ...map.fields, price: "Grape" } };
      await expect(fixture.run(fixture.file(table("12")), { map: wrong })).rejects.toThrow(/All rows/);
      expect(await fixture.stores.columnMaps.list("catalog")).toEqual([]);
    });
  });

  describe("the first rows of a feed", () => {
    const preview = async (feed: string, options = {}) => {
      const read = await previewFeed(
        fixture.deps,
        { feed, source: "catalog", limit: 10, ...options },
        never(),
      );
      return describePreview(read, "USD");
    };

    it("are shown as they would be stored, and nothing changes", async () => {
      const text = await preview(fixture.file(`${table("12")}W3,,7,\n`), { map, storeName: "Cellar" });
      expect(text.split("\n")).toEqual([
        "Read as a table with mapped columns, in utf-8. The first 3 rows:",
        "line 2: new · W1 · Rioja",
        "    12.00 USD, in stock, Cellar",
        "    grape: Tempranillo",
        expect.stringMatching(/^ {4}\/products\/rioja-[0-9a-f]{8}, 0 images$/),
        "line 3: new · W2 · Cava",
        "    9.00 USD, in stock, Cellar",
        expect.stringMatching(/^ {4}\/products\/cava-/),
        "line 4: refused · W3: Wine is missing",
        "Nothing was changed. Without --dry-run, the whole feed is imported.",
      ]);
      expect(await fixture.products()).toEqual([]);
      expect(await fixture.stores.columnMaps.list("catalog")).toEqual([]);
      expect(await fixture.stores.storeCurrency.read()).toBeUndefined();
    });

    it("are compared with the store, and no more of them are read than are shown", async () => {
      await fixture.run(fixture.file(table("12")), { map });
      const changed = `Code,Wine,Bottle,Grape\nW1,Rioja,11,Garnacha\nW2,Cava,9,\n`;
      const text = await preview(fixture.file(changed));
      expect(text).toContain(
        'line 2: changed · W1 · Rioja\n    price: 12.00 USD → 11.00 USD\n    attributes: {"grape":["Tempranillo"]} → {"grape":["Garnacha"]}\n' +
          "line 3: unchanged · W2 · Cava\nNothing",
      );
      const rows = Array.from({ length: 100_000 }, (_, n) => `W${n},Wine ${n},5,\n`).join("");
      const read = await previewFeed(
        fixture.deps,
        { feed: fixture.file(`Code,Wine,Bottle,Grape\n${rows}"never closed`), source: "catalog", limit: 3 },
        never(),
      );
      expect(read.rows.map(({ outcome }) => outcome)).toEqual(["new", "changed", "changed"]);
      const latin = Buffer.from(`Code,Wine,Bottle,Grape\nW1,Rosé,11,\n${rows}`, "latin1");
      expect(
        await previewFeed(fixture.deps, { feed: fixture.file(latin), source: "catalog", limit: 3 }, never()),
      ).toMatchObject({ encoding: "windows-1252", rows: [{ outcome: "changed" }, {}, {}] });
      expect(
        (await preview(fixture.file("id,price,deleted\nW1,11,\nW2,,true\nX,1,\n"))).match(/: (.+) · /g),
      ).toEqual([": changed · W1 · ", ": deleted · ", ": not found · "]);
    });
  });

  it("of other tables and of JSON, names that are kept nowhere have their part of the rows too", async () => {
    const google =
      "id,title,price,link,mood,\n1,Lamp,5 USD,https://a.example/1,calm,\n2,Chair,6 USD,https://a.example/2,,\n";
    expect(await fixture.run(fixture.file(google))).toMatchObject({ ignoredShares: { mood: 0.5 } });
    const mapped = { fields: { id: "Code", title: "Name", price: "Cost" }, attributes: ["Hue"] };
    const table = "Code,Name,Cost,Hue,Shelf,Type\n1,Lamp,5,red,A4,simple\n2,Chair,6,,,simple\n";
    expect(await fixture.run(fixture.file(table), { map: mapped })).toMatchObject({
      ignoredShares: { Shelf: 0.5 },
    });
    const lines = [{ a: 1 }, { a: 2, b: 3 }, {}, {}].map((more, at) =>
      JSON.stringify({ id: at, name: "Lamp", price: 5, url: "https://a.example", ...more }),
    );
    expect(await fixture.run(fixture.file(lines.join("\n")))).toMatchObject({
      ignoredFields: ["a", "b"],
      ignoredShares: { a: 0.5, b: 0.25 },
    });
  });
});

describe("google names", () => {
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
});
