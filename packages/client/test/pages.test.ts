import { expect, it } from "vitest";
import { respondWithJson, startService } from "./service.ts";

const startPages = (last: number) =>
  startService((response, { query }) => {
    const page = Number(query.page);
    respondWithJson(response, 200, { status: "success", Products: [], page, hasMore: page < last });
  });

it.each(["marketplaceAPages", "marketplaceBPages", "catalogPages"] as const)(
  "%s yields all pages and stops",
  async (method) => {
    const { client, received } = await startPages(3);
    const pages: number[] = [];
    for await (const { page } of client[method]({ q: "mug", count: 10 })) pages.push(page);
    expect(pages).toEqual([1, 2, 3]);
    expect(received.map(({ query }) => query)).toEqual(
      [1, 2, 3].map((page) => ({ q: "mug", count: "10", page: `${page}` })),
    );
  },
);

it("priceHistoryPages follows the cursor to the end", async () => {
  const { client, received } = await startService((response, { query }) => {
    const at = Number(query.cursor ?? 0);
    respondWithJson(response, 200, {
      status: "success",
      priceHistory: [{ price: at, date: "2026-01-01T00:00:00Z", _id: `${at}` }],
      ...(at < 2 && { nextCursor: `${at + 1}` }),
    });
  });
  const prices: number[] = [];
  for await (const { priceHistory } of client.priceHistoryPages("p_1", { from: "2026-01-01", limit: 1 }))
    prices.push(...priceHistory.map(({ price }) => price));
  expect(prices).toEqual([0, 1, 2]);
  expect(received.map(({ query }) => query)).toEqual([
    { from: "2026-01-01", limit: "1" },
    { from: "2026-01-01", limit: "1", cursor: "1" },
    { from: "2026-01-01", limit: "1", cursor: "2" },
  ]);
});

it("starts at the given page and requests no page in advance", async () => {
  const { client, received } = await startPages(9);
  for await (const { page } of client.marketplaceAPages({ q: "mug", page: 4 })) if (page === 5) break;
  expect(received.map(({ query }) => query.page)).toEqual(["4", "5"]);
});

it("stops at an error", async () => {
  const { client } = await startService((response, { query }) =>
    query.page === "1"
      ? respondWithJson(response, 200, { status: "success", Products: [], page: 1, hasMore: true })
      : respondWithJson(response, 500, {}),
  );
  const pages = client.marketplaceAPages({ q: "mug" });
  expect(await pages.next()).toMatchObject({ value: { page: 1 } });
  await expect(pages.next()).rejects.toMatchObject({ status: 500 });
});
