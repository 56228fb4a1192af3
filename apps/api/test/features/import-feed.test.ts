import { readdirSync } from "node:fs";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { importFeed } from "@product-search/features/catalog-write/import/import-feed.ts";
import { loadSample } from "@product-search/features/catalog-write/load-sample.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { composeImport } from "../../src/compose/import.ts";
import { sampleProductInputs } from "../../src/compose/sample-products.ts";
import { checkStore } from "../../src/compose/start-checks.ts";
import { readConfig } from "../../src/config.ts";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

describe("import feed", () => {
  let fixture: ImportFixture;
  beforeEach(async () => {
    fixture = await createImportFixture();
  });
  afterEach(() => fixture.close());

  const keys = async () => (await fixture.products()).map((product) => product.key);
  const staged = () => readdirSync(fixture.deps.importsFolder);

  describe("importing", () => {
    test("native rows keep all their fields", async () => {
      const line = nativeLine("k1", {
        brand: "Noctis",
        description: "<p>Warm&nbsp;light</p>",
        category: "Lamps",
        ean: 4006381333931,
        images: ["https://cdn.example/1.jpg", "/images/2.jpg"],
        originalPrice: 25,
        availability: "Out of stock",
        averageRating: 4.5,
        reviewCount: 7,
        isVerified: true,
        isBoosted: false,
        priceHistory: [
          { price: 25, date: "2026-01-01T00:00:00.000Z", _id: "x" },
          { price: 19.99, date: "2026-02-01T00:00:00.000Z", _id: "y" },
        ],
        serviceScore: 1,
        slug: "passed-over",
      });
      const summary = await fixture.run(fixture.file(line));
      expect(summary).toMatchObject({
        rows: 1,
        refused: 0,
        created: 1,
        updated: 0,
        unchanged: 0,
        notModified: false,
      });
      const [product] = await fixture.products();
      expect(product).toMatchObject({
        source: "catalog",
        key: "k1",
        name: "Lamp k1",
        brand: "Noctis",
        storeName: "Lichthaus",
        description: "Warm light",
        category: "Lamps",
        gtin: "04006381333931",
        images: ["https://cdn.example/1.jpg", "/images/2.jpg"],
        priceMinor: 1999,
        originalPriceMinor: 2500,
        availability: "out_of_stock",
        averageRating: 4.5,
        reviewCount: 7,
        isVerified: true,
        discountVal: 20,
        priceSinceMs: Date.parse("2026-02-01"),
      });
      expect(staged()).toEqual([]);
    });

    test.each([
      ["gtin", "4006381333931", "04006381333931"],
      ["ean", "4006381333931", "04006381333931"],
      ["UPC", "012345678905", "00012345678905"],
      ["barcode", "96385074", "00000096385074"],
      ["gtin", "n/a", undefined],
    ])("reads the GTIN of the column %s: %s", async (column, value, gtin) => {
      const feed = `id\ttitle\tlink\tprice\t${column}\n1\tLamp\thttps://shop.example/1\t5 USD\t${value}`;
      expect(await fixture.run(fixture.file(feed))).toMatchObject({ created: 1, refused: 0 });
      expect((await fixture.products())[0]?.gtin).toBe(gtin);
    });

    test.each([
      ["language", "de-AT", "de"],
      ["content language", "fr", "fr"],
      ["language", "unknown", undefined],
    ])("reads the language of the column %s: %s", async (column, value, language) => {
      const feed = `id\ttitle\tlink\tprice\t${column}\n1\tLampe\thttps://shop.example/1\t5 USD\t${value}`;
      expect(await fixture.run(fixture.file(feed))).toMatchObject({ created: 1, refused: 0 });
      expect((await fixture.products())[0]?.language).toBe(language);
    });

    test("a changed GTIN is a change of the product, and a lost one too", async () => {
      for (const [gtin, stored] of [
        ["4006381333931", "04006381333931"],
        ["96385074", "00000096385074"],
        [undefined, undefined],
      ]) {
        expect(await fixture.run(fixture.file(nativeLine("k1", { gtin })))).not.toMatchObject({
          unchanged: 1,
        });
        expect((await fixture.products())[0]?.gtin).toBe(stored);
      }
    });

    test("merchant rows become products, including sale prices", async () => {
      const feed = [
        "id\ttitle\tdescription\tlink\timage_link\tavailability\tprice\tsale_price\tsale_price_effective_date\tbrand\tproduct_type",
        "1\tLamp\tWarm\thttps://www.shop.example/1\thttps://cdn.example/1.jpg\tauf Lager\t25.00 USD\t19.99 USD\t\tNoctis\tHome > Lamps",
        "2\tMug\t\thttps://shop.example/2\t\tpreorder\t$5.00\t4 USD\t2020-01-01T00:00+0100/2020-02-01T00:00+0100\t\t187",
      ].join("\n");
      await fixture.run(fixture.file(feed), { source: "marketplace-a" });
      const [lamp, mug] = await fixture.products();
      expect(lamp).toMatchObject({
        id: "marketplace-a_1",
        priceMinor: 1999,
        originalPriceMinor: 2500,
        availability: "in_stock",
        brand: "Noctis",
        category: "Lamps",
        storeName: "shop.example",
        images: ["https://cdn.example/1.jpg"],
      });
      expect(mug).toMatchObject({ priceMinor: 500, availability: "preorder", images: [] });
      expect(mug && "originalPriceMinor" in mug).toBe(false);
    });

    test("responses of this service can be imported with the same item codes", async () => {
      const line = JSON.stringify({
        _id: "marketplace-b_X1",
        itemCode: "X1",
        slug: "X1",
        source: "marketplace-b",
        position: 3,
        name: "Lamp",
        price: 5,
        url: "https://shop.example/1",
        images: [],
        storeName: "S",
        description: "",
        availability: "In stock",
      });
      await fixture.run(fixture.file(line), { source: "marketplace-b" });
      await fixture.run(fixture.file(line.replace('"itemCode":"X1",', "")), { source: "marketplace-b" });
      expect((await fixture.products()).map(({ id }) => id)).toEqual(["marketplace-b_X1"]);
    });

    test("is idempotent: importing the same feed again changes nothing", async () => {
      const path = fixture.file(nativeLine("a") + nativeLine("b"));
      await fixture.run(path);
      const before = await fixture.stores.catalogStore.lastSequence();
      expect(await fixture.run(path)).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
      expect(await fixture.stores.catalogStore.lastSequence()).toBe(before);
    });

    test("the last row of a key is used, and its changes are one price", async () => {
      await fixture.run(fixture.file(nativeLine("a")));
      const feed =
        nativeLine("a", { price: 1 }) +
        nativeLine("b") +
        nativeLine("a", { price: 2 }) +
        nativeLine("a", { price: "broken" });
      expect(await fixture.run(fixture.file(feed))).toMatchObject({
        rows: 4,
        refused: 1,
        created: 1,
        updated: 1,
      });
      expect(
        (await fixture.stores.catalogStore.priceHistories([1], 10))[0]?.map((entry) => entry.priceMinor),
      ).toEqual([1999, 200]);
    });

    test("refused rows are reported with line, key, field and reason, and do not change their products", async () => {
      await fixture.run(fixture.file(nativeLine("a")));
      const feed =
        nativeLine("a", { price: -1 }) +
        nativeLine("b", { price: "19.99 EUR" }) +
        nativeLine("c", { availability: "maybe" }) +
        nativeLine("d", { url: "javascript:alert(1)" }) +
        nativeLine("e", { name: " <b></b> " }) +
        nativeLine("f", { averageRating: 7 }) +
        nativeLine("g", { images: "x" }) +
        nativeLine("", {}) +
        "not json\n" +
        nativeLine("h".repeat(300)) +
        nativeLine("i", { price: 1e12 }) +
        nativeLine("j", { priceHistory: [{ price: 1, date: "2999-01-01" }] }) +
        nativeLine("k", { url: "//evil.example/x" }) +
        nativeLine("good");
      expect(await fixture.run(fixture.file(feed))).toMatchObject({ rows: 14, refused: 13, created: 1 });
      expect(fixture.rejected.map(({ line, key, field }) => [line, key?.slice(0, 3), field])).toEqual([
        [1, "a", "price"],
        [2, "b", "price"],
        [3, "c", "availability"],
        [4, "d", "url"],
        [5, "e", "name"],
        [6, "f", "averageRating"],
        [7, "g", "images"],
        [8, "", "_id"],
        [9, undefined, undefined],
        [10, "hhh", "_id"],
        [11, "i", "price"],
        [12, "j", "priceHistory"],
        [13, "k", "url"],
      ]);
      for (const { reason } of fixture.rejected) expect(reason).toMatch(/^\S.*\w.{4}/);
      expect((await fixture.products()).find(({ key }) => key === "a")).toMatchObject({ priceMinor: 1999 });
    });

    test("rows that cannot be read have their key among the rejects, and count as listed", async () => {
      const options = { absent: "out_of_stock" } as const;
      await fixture.run(fixture.file(["1", "2", "3", "4"].map((key) => nativeLine(key)).join("")));
      const bad = Buffer.from([0xe9]);
      const feed = Buffer.concat([
        Buffer.from(nativeLine("1", { name: "Caf\ufffd" })),
        Buffer.from('{"_id":"2","name":"Caf'),
        bad,
        Buffer.from('"}\n'),
      ]);
      expect(await fixture.run(fixture.file(feed), options)).toMatchObject({ refused: 1, outOfStock: 2 });
      expect(fixture.rejected).toEqual([
        { line: 2, key: "2", reason: "The line holds bytes that are not UTF-8." },
      ]);
      const [one] = await fixture.products();
      expect(one?.name).toBe("Caf\ufffd");

      const table = Buffer.concat([
        Buffer.from("id,title,link,price\n1,Caf\ufffd,https://shop.example/1,5 USD\n2,Größe"),
        bad,
        Buffer.from(',https://shop.example/2,5 USD\n3,Lamp,5 USD\n4,"Lamp,https://shop.example/4,5 USD\n'),
        Buffer.from("5,Mug,https://shop.example/5,5 USD\n"),
      ]);
      expect(await fixture.run(fixture.file(table), options)).toMatchObject({
        refused: 3,
        outOfStock: 0,
        created: 1,
      });
      expect(fixture.rejected.map(({ line, key }) => [line, key])).toEqual([
        [3, "2"],
        [4, "3"],
        [5, "4"],
      ]);
    });

    test("markup is removed and long texts are cut", async () => {
      const feed = nativeLine("a", {
        name: `<script>alert(1)</script>L&amp;M ${"n".repeat(1000)}\u0000\ud800`,
        description: `<ul><li>one<li>two</ul>${"d".repeat(20_000)}`,
      });
      await fixture.run(fixture.file(feed));
      const [product] = await fixture.products();
      expect(product?.name).toMatch(/^L&M n+…$/);
      expect(product?.name).toHaveLength(500);
      expect(product?.description).toMatch(/^one two ?d+…$/);
      expect(product?.description).toHaveLength(10_000);
    });
  });

  describe("a full feed", () => {
    test("makes absent products of its source out of stock once, and changes nothing else", async () => {
      await fixture.run(fixture.file(nativeLine("a") + nativeLine("b") + nativeLine("c")));
      await fixture.run(fixture.file(nativeLine("m")), { source: "marketplace-a" });
      const feed = fixture.file(nativeLine("a") + nativeLine("c", { price: "refused" }));
      expect(await fixture.run(feed, { absent: "out_of_stock" })).toMatchObject({
        unchanged: 1,
        refused: 1,
        outOfStock: 1,
      });
      const stock = Object.fromEntries(
        (await fixture.products()).map((product) => [product.key, product.availability]),
      );
      expect(stock).toEqual({ a: "in_stock", b: "out_of_stock", c: "in_stock", m: "in_stock" });
      expect(await fixture.run(feed, { absent: "out_of_stock" })).toMatchObject({ outOfStock: 0 });
    });
  });

  describe("a feed that cannot be used", () => {
    test.each([
      ["breaks off", `${nativeLine("new")}{"_id":"x`, /ends early/],
      ["has not one good row", nativeLine("new", { price: -1 }), /All rows of the feed are invalid/],
      ["is empty", "", /empty/],
      ["names no product", "id\ttitle\n", /no product/],
      ["is something else", "<html><body>Not found</body></html>", /no product/],
    ])("changes nothing when it %s", async (_, feed, message) => {
      await fixture.run(fixture.file(nativeLine("a")));
      await expect(fixture.run(fixture.file(feed), { absent: "out_of_stock" })).rejects.toThrow(message);
      expect(await fixture.products()).toMatchObject([{ key: "a", availability: "in_stock" }]);
      expect(staged()).toEqual([]);
      await fixture.run(fixture.file(nativeLine("b")));
      expect(await keys()).toEqual(["a", "b"]);
    });

    test("names the file that cannot be read", async () => {
      await expect(fixture.run("/nowhere/feed.xml")).rejects.toThrow(
        'The file "/nowhere/feed.xml" cannot be read',
      );
      await expect(fixture.run(fixture.dataDir)).rejects.toThrow("is not a file");
    });
  });

  describe("progress", () => {
    test("reports bytes while reading and products while applying, with totals", async () => {
      const feed = nativeLine("a") + nativeLine("b");
      await fixture.run(fixture.file(feed));
      expect(fixture.steps.at(0)).toEqual({ phase: "reading", done: feed.length, total: feed.length });
      expect(fixture.steps.at(-1)).toEqual({ phase: "applying", done: 2, total: 2 });
    });
  });
});

describe("load sample", () => {
  test("loads the requested products, counts the outcomes, and reports progress", async () => {
    const applied: ProductInput[] = [];
    const catalogStore = {
      apply: async (inputs: readonly ProductInput[]) => {
        applied.push(...inputs);
        return inputs.map(({ source }) =>
          source === "catalog" ? ("created" as const) : ("unchanged" as const),
        );
      },
    };
    const progress: number[] = [];
    const products = sampleProductInputs(120, { currency: "USD", nowMs: 0 });
    const result = await loadSample({ catalogStore }, products, (loaded) => progress.push(loaded));
    expect(applied.length).toBe(120);
    expect(result).toEqual({ created: 72, updated: 0, unchanged: 48 });
    expect(progress.at(-1)).toBe(120);
    expect(progress.length).toBeGreaterThan(1);
  });
});

describe("store currency", () => {
  let fixture: ImportFixture;
  beforeEach(async () => {
    fixture = await createImportFixture();
  });
  afterEach(() => fixture.close());

  const settings = (currency: string) =>
    readConfig({ DATA_DIR: fixture.dataDir, CURRENCY: currency, LOG_LEVEL: "silent" });
  const refusal = /CURRENCY is JPY, but the prices in the store are in USD.*pnpm api currency --set JPY/;

  async function importWith(currency: string, feed: string) {
    const deps = composeImport(settings(currency), fixture.stores);
    try {
      const quiet = { onStep: () => {}, onReject: () => {}, onDiscarded: () => {} };
      const options = { feed, source: "catalog", absent: "keep" } as const;
      return await importFeed(deps, options, quiet, new AbortController().signal);
    } finally {
      await deps.close();
    }
  }

  test("the first import records the currency, and another one is refused by imports and at start", async () => {
    await checkStore(settings("JPY"));
    expect(await fixture.stores.storeCurrency.read()).toBeUndefined();
    await expect(fixture.run(fixture.file("{}\n"))).rejects.toThrow("invalid");
    expect(await fixture.stores.storeCurrency.read()).toBeUndefined();

    await fixture.run(fixture.file(nativeLine("a")));
    expect(await fixture.stores.storeCurrency.read()).toBe("USD");
    await checkStore(settings("USD"));
    await expect(checkStore(settings("JPY"))).rejects.toThrow(refusal);
    await expect(importWith("JPY", fixture.file(nativeLine("a")))).rejects.toThrow(refusal);
    expect(await fixture.products()).toMatchObject([{ priceMinor: 1999 }]);

    await fixture.stores.storeCurrency.replace("JPY");
    await checkStore(settings("JPY"));
    await expect(checkStore(settings("USD"))).rejects.toThrow("in JPY");
  });

  test("a store with products and no record, from an older release, gets the setting at the next start or import", async () => {
    await fixture.run(fixture.file(nativeLine("a")));
    const forget = () => fixture.stores.database.db.deleteFrom("store_currency").execute();
    await forget();
    await checkStore(settings("EUR"));
    expect(await fixture.stores.storeCurrency.read()).toBe("EUR");
    await forget();
    await importWith("GBP", fixture.file(nativeLine("b")));
    expect(await fixture.stores.storeCurrency.read()).toBe("GBP");
  });
});
