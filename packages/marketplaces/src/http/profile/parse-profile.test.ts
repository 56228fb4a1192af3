import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseProfile } from "./parse-profile.ts";

const folder = new URL("../../../profiles/", import.meta.url);
const good = readFileSync(new URL("best-buy.yaml", folder), "utf8");
const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split("\n").length;

/** The error for the valid profile after an edit. */
function faults(from: string, to: string, currency = "USD"): string[] {
  expect(good).toContain(from);
  try {
    parseProfile(good.replace(from, to), "p.yaml", currency);
    return [];
  } catch (error) {
    return String(error instanceof Error ? error.message : error).split("\n");
  }
}

describe("parseProfile", () => {
  test.each(readdirSync(folder))("takes %s, which is shipped", (file) => {
    expect(parseProfile(readFileSync(new URL(file, folder), "utf8"), file, "USD").currency).toBe("USD");
  });

  test.each([
    ["style: page", "style: pages", "pagination.style", "choose one of page, offset, cursor"],
    ["maxLimit: 100", "maxLimit: 5", "pagination.maxLimit", "must be >= 10"],
    ["kind: api-key", "kind: password", "auth.kind", "choose one of api-key, oauth2-client-credentials"],
    ["secret: BEST_BUY_API_KEY", "secret: 3f9a-my-key", "auth.secret", "must have the form"],
    ["perSecond: 5", "perSecond: 0", "quota.perSecond", "must be >= 1"],
    ["SoldOut: out_of_stock", "SoldOut: gone", "availabilityWords.SoldOut", "must be one of in_stock"],
    ["brand: manufacturer", "brandd: manufacturer", "item.brandd", "known fields here: itemCode, name"],
    ["name: name", "name: name[", "item.name", "not a JMESPath expression"],
    [
      "price: salePrice",
      "price: { path: salePrice, transform: euros }",
      "item.price.transform",
      "must be one of text, html, money",
    ],
    ["path: /v1/products(({words}))", "path: /v1/{word}", "request.path", "unknown placeholder {word}"],
    ["path: /v1/products(({words}))", "path: v1", "request.path", "must have the form ^/"],
    ["path: /v1/products(({words}))", "path: /v1/all", "request.path", "does not contain the search text"],
    ["each: search={word}", "each: search", "request.words.each", "must contain {word}"],
    ["baseUrl: https://api.bestbuy.com", "baseUrl: api.bestbuy.com", "baseUrl", "is not a URL"],
    ["baseUrl: https://api.bestbuy.com", "baseUrl: http://api.bestbuy.com", "baseUrl", "must be https"],
    [
      "baseUrl: https://api.bestbuy.com",
      "baseUrl: https://me:pw@api.bestbuy.com",
      "baseUrl",
      "holds credentials",
    ],
    ["currency: USD", "currency: dollars", "currency", "must have the form"],
  ])("names line and field of %s → %s", (from, to, field, fault) => {
    const found = faults(from, to);
    expect(found).toContainEqual(expect.stringContaining(fault));
    expect(found.find((one) => one.includes(fault))).toMatch(
      new RegExp(`^p\\.yaml:${lineOf(good, from)}: ${field.replaceAll(".", "\\.")}: `),
    );
  });

  test("reports a missing field with the line where it belongs", () => {
    expect(faults("  items: products\n", "")).toEqual([
      `p.yaml:${lineOf(good, "answer:")}: answer: items is missing; it is required.`,
    ]);
  });

  test("reports all errors at once", () => {
    expect(faults("style: page", "stile: page").length).toBeGreaterThan(0);
    expect(faults("perSecond: 5\n  perDay: 50000", "perSecond: 0\n  perDay: 0")).toHaveLength(2);
  });

  test("refuses a currency that differs from the deployment's", () => {
    expect(faults("currency: USD", "currency: USD", "EUR")).toEqual([
      expect.stringMatching(/^p\.yaml:\d+: currency: is USD, but CURRENCY of this deployment is EUR/),
    ]);
  });

  test.each([
    ["broken YAML", "a: [1\nb: }", /^p\.yaml:2: /],
    ["a key twice", "name: a\nname: b", /^p\.yaml:2: .*unique/],
    ["nothing", "", /^p\.yaml:1: the profile: must be object/],
    ["a list", "- a", /^p\.yaml:1: the profile: must be object/],
    ["an unknown tag", "name: !!js/function x", /^p\.yaml:1: /],
    ["half a megabyte", `name: ${"x".repeat(500_000)}`, /larger than/],
    ["a bomb of aliases", aliasBomb(), /^p\.yaml/],
  ])("refuses %s", (_, text, message) => {
    expect(() => parseProfile(text, "p.yaml", "USD")).toThrow(message);
  });
});

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, n) => {
    const part = n === 0 ? '"x"' : `*a${n - 1}`;
    return `a${n}: &a${n} [${Array.from({ length: 10 }, () => part).join(",")}]`;
  });
  return levels.join("\n");
}
