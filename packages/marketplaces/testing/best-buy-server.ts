import { sendJson, startUpstream, type UpstreamServer } from "./upstream-server.ts";

export const bestBuyCredentials: Readonly<Record<string, string>> = { BEST_BUY_API_KEY: "sEcReT-kEy" };

export interface BestBuyServer extends UpstreamServer {
  products: object[];
}

/** Responds in the form that the documentation of Best Buy's Products API describes. */
export async function startBestBuy(products: object[]): Promise<BestBuyServer> {
  const upstream = await startUpstream(({ url }, response) => {
    if (url.searchParams.get("apiKey") !== bestBuyCredentials.BEST_BUY_API_KEY) {
      return sendJson(response, 403, { errorCode: "403", errorMessage: "The provided API key is invalid." });
    }
    const [status, body] = search(url, bestBuy.products);
    sendJson(response, status, body);
  });
  const bestBuy: BestBuyServer = Object.assign(upstream, { products });
  return bestBuy;
}

function search(url: URL, products: object[]): [number, object] {
  const terms = /^\/v1\/products\(\((search=[^()&]+(?:&search=[^()&]+)*)\)\)$/.exec(url.pathname)?.[1];
  if (terms === undefined) return [400, refusal("Couldn't understand the request.")];
  const pageSize = Number(url.searchParams.get("pageSize") ?? 10);
  const page = Number(url.searchParams.get("page") ?? 1);
  const totalPages = Math.ceil(products.length / pageSize);
  if (!(pageSize >= 1 && pageSize <= 100)) return [400, refusal("pageSize must be between 1 and 100.")];
  if (products.length > 0 && page > totalPages) return [400, refusal("The page is beyond the last one.")];
  const from = (page - 1) * pageSize;
  const found = products.slice(from, from + pageSize);
  return [
    200,
    {
      from: from + 1,
      to: from + found.length,
      currentPage: page,
      total: products.length,
      totalPages,
      queryTime: "0.010",
      totalTime: "0.014",
      partial: false,
      // In the documentation, the key is in here too.
      canonicalUrl: `${url.pathname}${url.search}`,
      products: found,
    },
  ];
}

function refusal(message: string): object {
  return { error: { code: 400, status: "400 Bad Request", message } };
}

export function bestBuyProduct(n: number, over: object = {}): object {
  return {
    sku: 6_000_000 + n,
    name: `Laptop ${n}`,
    salePrice: 499.99,
    regularPrice: 599.99,
    onSale: true,
    url: `https://api.bestbuy.com/click/-/${6_000_000 + n}/pdp`,
    image: `https://pisces.bbystatic.com/images/${n}_sd.jpg`,
    alternateViewsImage: null,
    manufacturer: "Acme",
    shortDescription: null,
    longDescription: "Thin &amp; light.<br>16 GB.",
    customerReviewAverage: 4.6,
    customerReviewCount: 213,
    onlineAvailability: true,
    orderable: "Available",
    ...over,
  };
}
