import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BestBuyServer, bestBuyProduct, startBestBuy } from "../../testing/best-buy-server.ts";
import { type EbayServer, ebayItem, startEbay } from "../../testing/ebay-server.ts";
import { type LiveSource, liveSource, shippedProfile } from "../../testing/live-source.ts";

describe("best buy", () => {
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
});

describe("ebay browse", () => {
  let ebay: EbayServer;
  let source: LiveSource;
  beforeEach(async () => {
    ebay = await startEbay([]);
    source = liveSource(shippedProfile("ebay-browse.yaml", ebay.baseUrl));
  });
  afterEach(async () => {
    await source.close();
    await ebay.close();
  });

  const items = (count: number) => Array.from({ length: count }, (_, at) => ebayItem(at + 1));
  const codes = ({ items: entries }: Awaited<ReturnType<LiveSource["find"]>>) =>
    entries.map(({ key }) => Number(key));
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const searches = () => ebay.seen.filter(({ url }) => url.pathname.endsWith("/search"));

  describe("the profile of eBay Browse", () => {
    it("sends the documented request and maps the response", async () => {
      ebay.items = [
        ebayItem(7, {
          title: "Nike <b>Air</b> &amp; Zoom",
          marketingPrice: { originalPrice: { value: "79.99", currency: "USD" }, discountPercentage: "25" },
          additionalImages: [{ imageUrl: "https://i.ebayimg.com/2.jpg" }],
          shortDescription: "Light <i>and</i> fast",
        }),
      ];
      const { items: found, total, hasMore } = await source.find("running  shoes ");
      expect({ total, hasMore }).toEqual({ total: 1, hasMore: false });
      expect(found).toEqual([
        {
          id: "marketplace-a_7",
          key: "7",
          slug: "7",
          name: "Nike Air & Zoom",
          priceMinor: 5999,
          originalPriceMinor: 7999,
          url: "https://www.ebay.com/itm/7?hash=abc",
          images: ["https://i.ebayimg.com/images/g/7/s-l225.jpg", "https://i.ebayimg.com/2.jpg"],
          storeName: "runner_shop",
          description: "Light and fast",
          availability: "in_stock",
          reviewCount: 0,
        },
      ]);
      const [search] = searches();
      expect(search?.headers).toMatchObject({
        authorization: "Bearer token-1",
        "x-ebay-c-marketplace-id": "EBAY_US",
      });
      expect(Object.fromEntries(search?.url.searchParams ?? [])).toMatchObject({
        q: "running shoes",
        limit: "20",
        offset: "0",
      });
    });

    it("reads 250 products in two concurrent requests whose offsets are multiples of the limit", async () => {
      ebay.items = items(1000);
      expect(codes(await source.find("shoe", 0, 250))).toEqual(numbers(1, 250));
      expect(searches()).toHaveLength(2);
      expect(codes(await source.find("shoe", 750, 250))).toEqual(numbers(751, 1000));
      expect(codes(await source.find("shoe", 21, 7))).toEqual(numbers(22, 28));
    });

    it("can be paged up to 10 000 products and not beyond", async () => {
      ebay.items = items(12_000);
      const last = await source.find("shoe", 9750, 250);
      expect(codes(last)).toEqual(numbers(9751, 10_000));
      expect(last).toMatchObject({ hasMore: false, total: 12_000 });
    });

    it("drops products without a price or in another currency, and keeps the order of the rest", async () => {
      ebay.items = [
        ebayItem(1, { price: undefined, currentBidPrice: { value: "3.00", currency: "USD" } }),
        ebayItem(2, { price: { value: "10.00", currency: "EUR", convertedFromValue: "9" } }),
        ebayItem(3, { price: { value: "not a price", currency: "USD" } }),
        ebayItem(4, { price: { value: "1,299.50", currency: "USD" } }),
        ebayItem(5, { legacyItemId: undefined, itemWebUrl: "javascript:alert(1)" }),
        ebayItem(6, { legacyItemId: undefined }),
      ];
      const { items: found, total } = await source.find("shoe");
      expect(found.map(({ key, priceMinor }) => [key, priceMinor])).toEqual([
        ["4", 129_950],
        ["v1|6|0", 5999],
      ]);
      expect(total).toBe(6);
    });

    it("uses the lower end of a price range", async () => {
      ebay.items = [ebayItem(1, { price: { value: "10.00 to 20.00", currency: "USD" } })];
      expect((await source.find("shoe")).items[0]?.priceMinor).toBe(1000);
    });

    it("shows a sponsored duplicate once", async () => {
      ebay.items = [
        ebayItem(3, { priorityListing: true }),
        ebayItem(1),
        ebayItem(2),
        ebayItem(3),
        ebayItem(4),
      ];
      expect(codes(await source.find("shoe"))).toEqual([3, 1, 2, 4]);
    });

    it("reports the end of the list even if the estimated total is higher", async () => {
      ebay.items = items(30);
      ebay.total = () => 5000;
      expect(await source.find("shoe", 0, 20)).toMatchObject({ hasMore: true, total: 5000 });
      expect(await source.find("shoe", 20, 20)).toMatchObject({ hasMore: false });
    });

    it("never reports a total below the number of products shown", async () => {
      ebay.items = items(40);
      ebay.total = () => 3;
      expect(await source.find("shoe", 20, 20)).toMatchObject({ total: 40 });
    });

    it("returns an empty list if nothing matches", async () => {
      expect(await source.find("xyzzy")).toMatchObject({ items: [], total: 0, hasMore: false });
    });

    it("requests one token for a burst, and a new one if the token expires early", async () => {
      ebay.items = items(5);
      const burst = (name: string) => Promise.all(numbers(1, 10).map((n) => source.find(`${name} ${n}`)));
      await burst("first");
      expect(ebay.tokensGiven).toBe(1);
      ebay.expireTokens();
      await burst("second");
      expect(ebay.tokensGiven).toBe(2);
    });

    it("reports refused credentials without revealing them", async () => {
      const wrong = liveSource(shippedProfile("ebay-browse.yaml", ebay.baseUrl), {
        secrets: { EBAY_CLIENT_ID: "nobody-at-all", EBAY_CLIENT_SECRET: "hunter2-hunter2" },
      });
      const failure = await wrong.find("shoe").catch((error: unknown) => error);
      await wrong.close();
      expect(failure).toMatchObject({
        code: "upstream_failed",
        message: "marketplace-a rejected the credentials of this service. The operator must renew them.",
      });
      expect(JSON.stringify(wrong.events)).not.toContain("hunter2");
    });
  });
});
