import { fakeMug } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "listPriceHistory";
const dayMs = 24 * 3600 * 1000;
let service: TestService;
let token: string;
let productId: string;
/** The imported prices: one a day for 150 days, then the current one. */
let prices: { price: number; date: string }[];
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["search"] });
  const firstMs = Date.parse("2026-01-01T00:00:00Z");
  const formerPrices = Array.from({ length: 150 }, (_, day) => ({
    priceMinor: 2000 + day,
    atMs: firstMs + day * dayMs,
  }));
  await service.stores.catalogStore.apply([
    fakeMug("catalog", 1, { priceMinor: 1500, formerPrices }),
    fakeMug("marketplace-b", 2),
  ]);
  const [product] = await service.stores.catalogStore.scan(0, 1);
  productId = product?.id ?? "";
  prices = [...formerPrices, { priceMinor: 1500, atMs: service.clock.nowMs }].map(({ priceMinor, atMs }) => ({
    price: priceMinor / 100,
    date: new Date(atMs).toISOString(),
  }));
});
afterAll(() => service.close());

const list = (query: Record<string, string> = {}, { of = productId, headers = {} } = {}) =>
  service.app.inject({
    url: `/api/v1/products/${encodeURIComponent(of)}/price-history`,
    query,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
const entries = async (query: Record<string, string>) => {
  const response = await list(query);
  expectDocumented(id, 200, response);
  return response
    .json()
    .priceHistory.map(({ price, date }: { price: number; date: string }) => ({ price, date }));
};

describe("200", () => {
  it("returns the oldest hundred, and a cursor for the rest", async () => {
    const first = (await list()).json();
    expect(first.priceHistory).toHaveLength(100);
    const second = (await list({ cursor: first.nextCursor })).json();
    expect(second).not.toHaveProperty("nextCursor");
    expect([...first.priceHistory, ...second.priceHistory]).toMatchObject(prices);
  });

  it("returns every entry once over all pages", async () => {
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const response = await list({ limit: "7", ...(cursor !== undefined && { cursor }) });
      expectDocumented(id, 200, response);
      found.push(...response.json().priceHistory);
      cursor = response.json().nextCursor;
    } while (cursor !== undefined);
    expect(found).toMatchObject(prices);
  });

  it("has no next page if the last one is full", async () => {
    expect((await list({ limit: "151" })).json()).not.toHaveProperty("nextCursor");
  });

  it("applies the period, bounds included, in every time format", async () => {
    const wanted = prices.slice(10, 13);
    for (const [from, to] of [
      ["2026-01-11", "2026-01-13"],
      ["2026-01-11T00:00Z", "2026-01-13T00:00:00.000Z"],
      ["2026-01-11T01:00:00+01:00", "2026-01-12T20:00:00-04:00"],
    ] as const)
      expect(await entries({ from, to })).toEqual(wanted);
    expect(await entries({ from: "2026-11-01" })).toEqual(prices.slice(-1));
    expect(await entries({ to: "2025-12-31" })).toEqual([]);
  });

  it("also works for products of marketplaces", async () => {
    const response = await list({}, { of: "marketplace-b_MUG2" });
    expectDocumented(id, 200, response);
    expect(response.json().priceHistory).toHaveLength(1);
  });
});

describe("400", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["a limit of 0", { limit: "0" }, /^limit:/],
    ["a limit of 1001", { limit: "1001" }, /^limit:/],
    ["a word for a time", { from: "yesterday" }, /^from:.*2026/],
    ["a time without an offset", { to: "2026-01-01T00:00:00" }, /^to:/],
    ["a month that does not exist", { from: "2026-13-01" }, /^from: 2026-13-01 is no time/],
    ["a day that does not exist", { to: "2026-02-31T12:00Z" }, /^to: 2026-02-31T12:00Z is no time/],
    ["an end before the beginning", { from: "2026-02-01", to: "2026-01-01" }, /^to: .* is before from/],
    ["a cursor of its own making", { cursor: "next" }, /^cursor:/],
    ["an unknown parameter", { page: "2" }, /^page:/],
  ])("with %s", async (_, query, message) => {
    expectInvalid(id, message, await list(query));
  });
});

describe("404", () => {
  it("with an identifier that no product has", async () => {
    const response = await list({}, { of: "nobody" });
    expectDocumented(id, 404, response);
    expect(response.json()).toMatchObject({ code: "product_not_found" });
  });
});
