import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BestBuyServer, bestBuyProduct, startBestBuy } from "../../testing/best-buy-server.ts";
import { type LiveSource, liveSource, shippedProfile } from "../../testing/live-source.ts";

let bestBuy: BestBuyServer;
let source: LiveSource;
beforeEach(async () => {
  bestBuy = await startBestBuy([]);
  const profile = shippedProfile("best-buy.yaml", bestBuy.baseUrl, { quota: { perDay: 50_000 } });
  source = liveSource(profile, { marketplace: "marketplace-b" });
});
afterEach(async () => {
  await source.close();
  await bestBuy.close();
});

const products = (count: number) => Array.from({ length: count }, (_, at) => bestBuyProduct(at));
const skus = ({ items }: Awaited<ReturnType<LiveSource["find"]>>) =>
  items.map(({ key }) => Number(key) - 6_000_000);
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

describe("the profile of Best Buy Products", () => {
  it("sends each word separately and maps the response", async () => {
    bestBuy.products = [bestBuyProduct(1)];
    const { items, total, hasMore } = await source.find("running (red) shoes");
    expect({ total, hasMore }).toEqual({ total: 1, hasMore: false });
    expect(items).toEqual([
      {
        id: "marketplace-b_6000001",
        key: "6000001",
        slug: "6000001",
        name: "Laptop 1",
        priceMinor: 49_999,
        originalPriceMinor: 59_999,
        url: "https://api.bestbuy.com/click/-/6000001/pdp",
        images: ["https://pisces.bbystatic.com/images/1_sd.jpg"],
        brand: "Acme",
        storeName: "Best Buy",
        description: "Thin & light. 16 GB.",
        availability: "in_stock",
        averageRating: 4.6,
        reviewCount: 213,
      },
    ]);
    expect(bestBuy.seen[0]?.url.pathname).toBe(
      "/v1/products((search=running&search=%28red%29&search=shoes))",
    );
  });

  it.each([
    ["Available", "in_stock"],
    ["SoldOut", "out_of_stock"],
    ["PreOrder", "preorder"],
    ["BackOrder", "backorder"],
    [false, "out_of_stock"],
    [null, "in_stock"],
    ["SomethingNew", "in_stock"],
  ])("reads the availability %j as %s", async (orderable, availability) => {
    bestBuy.products = [bestBuyProduct(1, { orderable })];
    expect((await source.find("laptop")).items[0]).toMatchObject({ availability });
  });

  it.each([
    [0, 250, 3],
    [250, 250, 3],
    [500, 250, 3],
    [40, 20, 1],
    [0, 1, 1],
    [999, 1, 1],
    [990, 20, 1],
    [33, 11, 1],
  ])("gives products %i and the next %i with %i requests", async (offset, limit, requests) => {
    bestBuy.products = products(1000);
    const page = await source.find("laptop", offset, limit);
    expect(skus(page)).toEqual(numbers(offset, Math.min(offset + limit, 1000)));
    expect(page.hasMore).toBe(offset + limit < 1000);
    expect(bestBuy.seen).toHaveLength(requests);
  });

  it("treats refused pages after the last one as empty", async () => {
    bestBuy.products = products(110);
    expect(skus(await source.find("laptop", 0, 250))).toEqual(numbers(0, 110));
  });

  it("drops products without a price", async () => {
    bestBuy.products = [
      bestBuyProduct(1, { salePrice: null }),
      bestBuyProduct(2, { salePrice: "NaN" }),
      bestBuyProduct(3, { salePrice: -1 }),
      bestBuyProduct(4),
    ];
    expect(skus(await source.find("laptop"))).toEqual([4]);
  });

  it("keeps its key out of errors and events", async () => {
    bestBuy.respond = (_, response) => response.destroy();
    const failure = await source.find("laptop").catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "upstream_failed",
      message: "marketplace-b cannot be reached. Try again later.",
    });
    expect(bestBuy.seen[0]?.url.href).toContain("sEcReT-kEy");
    const { inspect } = await import("node:util");
    expect(inspect([failure, source.events], { depth: 20 })).not.toContain("sEcReT-kEy");
  });
});
