import { createRandom, hostileStrings, randomString } from "@product-search/testing/hostile-strings.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { describe, expect, it } from "vitest";
import { readMerchantRow } from "./merchant-row.ts";
import { readNativeRow } from "./native-row.ts";
import type { ReadRow, RowContext } from "./row-checks.ts";

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
