import { maxSentences } from "@product-search/core/ports/answer-writer.ts";
import type { ShopperRequest } from "@product-search/testing/deep-search/shopper-requests.ts";
import { shopperRequests } from "@product-search/testing/deep-search/shopper-requests.ts";
import { type KnownNames, ungroundedStatements } from "@product-search/testing/deep-search/ungrounded.ts";
import type { DeepSearchResult } from "@product-search/types";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleProductInput } from "../../src/compose/sample-products.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const sampleSize = 2400;
let service: TestService;
let token: string;
let names: KnownNames;

beforeAll(async () => {
  service = await createTestService({ environment: { TOKEN_RATE_LIMIT: "0" } });
  token = await service.token({ scopes: ["search"] });
  const { catalogStore } = service.stores;
  const settings = { currency: "USD", nowMs: service.clock.now() };
  await catalogStore.apply(
    Array.from({ length: sampleSize }, (_, number) => sampleProductInput(number, settings)),
  );
  await service.indexed();
  await service.findKinds();
  const catalog = (await catalogStore.scan(0, sampleSize)).filter(({ source }) => source === "catalog");
  names = {
    brands: [...new Set(catalog.flatMap(({ brand }) => brand ?? []))],
    texts: new Map(catalog.map(({ name, description }) => [name, description])),
  };
});
afterAll(() => service.close());

async function ask({ request, history }: ShopperRequest): Promise<DeepSearchResult> {
  const answer = await service.app.inject({
    method: "POST",
    url: "/api/v1/deep-search",
    headers: { authorization: `Bearer ${token}` },
    payload: { query: request, ...(history && { history }) },
  });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data;
}

describe("requests of shoppers", () => {
  test.each(shopperRequests.map((row) => [[...(row.history ?? []), row.request].join(" » "), row] as const))(
    "%s",
    async (_, row) => {
      const result = await ask(row);
      expectProducts(result, row);
      if (row.says) expect(result.aiResponse).toMatch(row.says);
      if (row.reads) expect(result.description).toMatch(row.reads);
      expectWellWritten(result, row.history);
    },
  );
});

function expectProducts({ topProducts, productCount }: DeepSearchResult, row: ShopperRequest): void {
  const { kinds, not, first, min = 0, max = Number.POSITIVE_INFINITY, minRating = 0, order } = row;
  expect(topProducts.length > 0, "whether anything is found").toBe(kinds !== undefined);
  expect(productCount >= topProducts.length).toBe(true);
  for (const { name, price, averageRating } of topProducts) {
    if (kinds) expect(name).toMatch(kinds);
    if (not) expect(name).not.toMatch(not);
    expect(price).toBeGreaterThanOrEqual(min);
    expect(price).toBeLessThanOrEqual(max);
    if (minRating > 0) expect(averageRating).toBeGreaterThanOrEqual(minRating);
  }
  if (first) expect(topProducts[0]?.name).toMatch(first);
  const column = topProducts.map(({ price, averageRating = 0 }) =>
    order === "rating desc" ? averageRating : price,
  );
  if (order) expect(column).toEqual(column.toSorted((a, b) => (order === "price asc" ? a - b : b - a)));
}

/** Grounded, short, and without repetition. */
function expectWellWritten(result: DeepSearchResult, history?: readonly string[]): void {
  expect(ungroundedStatements(result, names, history)).toEqual([]);
  const sentences = result.aiResponse.replace(/“[^”]*”|„[^“]*“|«[^»]*»/gu, "…").split(/(?<=[.!?])\s+/u);
  expect(sentences.length, result.aiResponse).toBeLessThanOrEqual(maxSentences);
  expect(new Set(sentences.map((sentence) => sentence.replace(/\$?[\d.,]+/g, "N"))).size).toBe(
    sentences.length,
  );
  for (const { name } of result.topProducts) {
    expect(result.aiResponse.split(name).length - 1, `mentions of ${name}`).toBeLessThanOrEqual(1);
  }
}
