import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EbayServer, ebayItem, startEbay } from "../../testing/ebay-server.ts";
import { type LiveSource, liveSource, shippedProfile } from "../../testing/live-source.ts";

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
    ebay.items = [ebayItem(3, { priorityListing: true }), ebayItem(1), ebayItem(2), ebayItem(3), ebayItem(4)];
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
