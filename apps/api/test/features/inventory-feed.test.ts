import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await createImportFixture();
  await fixture.run(fixture.file(nativeLine("a", { brand: "Noctis", price: 20 }) + nativeLine("b")));
});
afterEach(() => fixture.close());

const table = (...rows: string[]) => fixture.file(`${rows.join("\n")}\n`);
const product = async (key: string) => {
  const found = (await fixture.products()).find((one) => one.key === key);
  if (found === undefined) throw new Error(`No product ${key}`);
  return found;
};

describe("a row with prices and stock only", () => {
  test("changes price and stock of an existing product, and nothing else", async () => {
    const before = await product("a");
    const summary = await fixture.run(
      table("id\tprice\tsale_price\tavailability", "a\t25.00 USD\t18 USD\tpreorder", "c\t5 USD\t\tin_stock"),
    );
    expect(summary).toMatchObject({ rows: 2, updated: 1, notFound: 1, created: 0, refused: 0 });
    expect(await product("a")).toMatchObject({
      name: before.name,
      brand: "Noctis",
      url: before.url,
      slug: before.slug,
      priceMinor: 1800,
      originalPriceMinor: 2500,
      availability: "preorder",
    });
    expect(await fixture.products()).toHaveLength(2);
  });

  test("may contain only the changed field: availability, price or reduction", async () => {
    await fixture.run(table("id,availability", "a,out of stock"));
    expect(await product("a")).toMatchObject({ priceMinor: 2000, availability: "out_of_stock" });
    await fixture.run(table("id,sale_price", "a,15 USD"));
    expect(await product("a")).toMatchObject({ priceMinor: 1500, originalPriceMinor: 2000 });
    await fixture.run(table("id,sale_price", "a,12 USD"));
    expect(await product("a")).toMatchObject({ priceMinor: 1200, originalPriceMinor: 2000 });
    await fixture.run(table("id,price", "a,19 USD"));
    const last = await product("a");
    expect(last).toMatchObject({ priceMinor: 1900, availability: "out_of_stock" });
    expect("originalPriceMinor" in last).toBe(false);
  });

  test("is read from XML and from JSON Lines too", async () => {
    const xml = `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
      <item><g:id>a</g:id><g:price>7 USD</g:price></item></channel></rss>`;
    expect(await fixture.run(fixture.file(xml))).toMatchObject({ updated: 1 });
    expect(await product("a")).toMatchObject({ priceMinor: 700, storeName: "Lichthaus" });
    const lines = `${JSON.stringify({ _id: "a", price: 6, originalPrice: 8 })}\n${JSON.stringify({ _id: "b", availability: "backorder" })}\n`;
    expect(await fixture.run(fixture.file(lines))).toMatchObject({ updated: 2 });
    expect(await product("a")).toMatchObject({ priceMinor: 600, originalPriceMinor: 800 });
    expect(await product("b")).toMatchObject({ priceMinor: 1999, availability: "backorder" });
  });

  test("is refused in JSON and XML if it may be a whole product with other names", async () => {
    const lines = [
      { id: "a", product_name: "Lamp", price: 1, permalink: "https://shop.example/a" },
      { id: "b", price: 5, quantity: 3, store_code: "1" },
      { id: "b", price: 6, note: "by hand", update: true },
    ];
    const feed = fixture.file(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect(await fixture.run(feed)).toMatchObject({ refused: 1, updated: 1 });
    expect(fixture.rejected).toMatchObject([{ line: 1, key: "a", field: "product_name" }]);
    expect(await product("a")).toMatchObject({ priceMinor: 2000 });
    expect(await product("b")).toMatchObject({ priceMinor: 600 });
  });

  test("is refused if it has no values or only invalid ones", async () => {
    const feed = table("id,price,availability", "a,,", "b,much,", "a,,maybe", "b,3 USD,");
    expect(await fixture.run(feed)).toMatchObject({ rows: 4, refused: 3, updated: 1 });
    expect(fixture.rejected).toMatchObject([
      { line: 2, key: "a", field: "price", reason: expect.stringContaining("changes nothing") },
      { line: 3, key: "b", field: "price" },
      { line: 4, key: "a", field: "availability" },
    ]);
  });

  test("in a feed of whole products is refused for its missing name", async () => {
    const feed = nativeLine("c") + JSON.stringify({ _id: "a", price: 1 });
    expect(await fixture.run(fixture.file(feed))).toMatchObject({ created: 1, refused: 1 });
    expect(await product("a")).toMatchObject({ priceMinor: 2000 });
    const rows = table("id,title,link,price", "a,,,1 USD", "d,Mug,https://shop.example/d,2 USD");
    expect(await fixture.run(rows)).toMatchObject({ created: 1, refused: 1 });
  });

  test("makes products that a full inventory feed does not list out of stock", async () => {
    expect(await fixture.run(table("id,price", "a,1 USD"), { absent: "out_of_stock" })).toMatchObject({
      updated: 1,
      outOfStock: 1,
    });
    expect(await product("b")).toMatchObject({ availability: "out_of_stock" });
  });
});

describe("rows of the same product", () => {
  test("count as duplicates, except the last one", async () => {
    const feed = nativeLine("c") + nativeLine("c") + nativeLine("d") + nativeLine("c", { price: 3 });
    expect(await fixture.run(fixture.file(feed))).toMatchObject({
      rows: 4,
      created: 2,
      duplicates: 2,
      refused: 0,
    });
    expect(await product("c")).toMatchObject({ priceMinor: 300 });
  });
});

describe("a deletion", () => {
  test("is a row with deleted=true in any format, and needs only the key", async () => {
    const summary = await fixture.run(table("id,deleted", "a,TRUE", "c,yes"));
    expect(summary).toMatchObject({ rows: 2, removed: 1, notFound: 1 });
    const line = `${JSON.stringify({ _id: "b", deleted: true })}\n`;
    expect(await fixture.run(fixture.file(line + nativeLine("c")))).toMatchObject({ removed: 1, created: 1 });
    expect((await fixture.products()).map(({ key }) => key)).toEqual(["c"]);
  });

  test("may be among whole products, in any order", async () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      at % 3 === 0 ? `k${at},,,,true` : `k${at},Lamp,https://shop.example/${at},5 USD,`,
    );
    await fixture.run(fixture.file(Array.from({ length: 40 }, (_, at) => nativeLine(`k${at}`)).join("")));
    const summary = await fixture.run(table("id,title,link,price,deleted", ...rows));
    expect(summary).toMatchObject({ rows: 40, removed: 14, updated: 26, refused: 0 });
  });

  test("is refused if the value of deleted is unclear", async () => {
    const feed = table("id,price,deleted", "a,5 USD,perhaps", "b,5 USD,no");
    expect(await fixture.run(feed)).toMatchObject({ refused: 1, updated: 1 });
    expect(fixture.rejected).toMatchObject([{ key: "a", field: "deleted" }]);
  });
});

test("a full feed deletes absent products of its source on request, but not products of refused rows", async () => {
  await fixture.run(fixture.file(nativeLine("x")), { source: "marketplace-a" });
  const feed = nativeLine("a") + nativeLine("b", { price: "broken" }) + nativeLine("c");
  await fixture.run(fixture.file(nativeLine("gone") + nativeLine("sold", { availability: "out of stock" })));
  expect(await fixture.run(fixture.file(feed), { absent: "remove_without_limit" })).toMatchObject({
    created: 1,
    refused: 1,
    outOfStock: 0,
    removedAbsent: 2,
  });
  expect((await fixture.products()).map(({ key }) => key).toSorted()).toEqual(["a", "b", "c", "x"]);
});

describe("a full feed that deletes absent products", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at}`);
  const feedOf = (listed: readonly string[]) => fixture.file(listed.map((key) => nativeLine(key)).join(""));
  const stored = async () =>
    (await fixture.products()).filter(({ source }) => source === "catalog").map(({ key }) => key);

  beforeEach(async () => {
    await fixture.run(feedOf([...keys(8), "a", "b"]));
    await fixture.run(feedOf(["x", "y", "z"]), { source: "marketplace-a" });
  });

  test("deletes up to a fifth of the products of its source", async () => {
    expect(await fixture.run(feedOf(keys(8)), { absent: "remove" })).toMatchObject({ removedAbsent: 2 });
    expect(await stored()).toHaveLength(8);
  });

  test("is refused if it would delete more, and then changes nothing", async () => {
    const changed = keys(7).map((key) => nativeLine(key, { price: 1 }));
    await expect(fixture.run(fixture.file(changed.join("")), { absent: "remove" })).rejects.toThrow(
      /does not list 3 of the 10 products of catalog \(30 %\).*At most 20 %.*Nothing was changed.*--no-removal-limit/s,
    );
    expect(await stored()).toHaveLength(10);
    expect((await fixture.products()).map(({ priceMinor }) => priceMinor)).not.toContain(100);
    expect(await fixture.deps.importJournal.findUnfinished()).toBeUndefined();
  });

  test("is refused if its keys are all new", async () => {
    await expect(fixture.run(feedOf(["n1", "n2"]), { absent: "remove" })).rejects.toThrow(/10 of the 10/);
  });

  test("deletes any number without the limit, and refused rows count as listed", async () => {
    const refused = nativeLine("a", { price: "broken" });
    await fixture.run(fixture.file(nativeLine("k0") + refused), { absent: "remove_without_limit" });
    expect((await stored()).toSorted()).toEqual(["a", "k0"]);
  });
});
