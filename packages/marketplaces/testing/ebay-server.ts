import { type Seen, sendJson, startUpstream, type UpstreamServer } from "./upstream-server.ts";

export const ebayCredentials: Readonly<Record<string, string>> = {
  EBAY_CLIENT_ID: "app-id:with colon",
  EBAY_CLIENT_SECRET: "cert+id/secret",
};

export interface EbayServer extends UpstreamServer {
  /** The results of a search: item summaries as in eBay's documentation. */
  items: object[];
  /** The estimated total of a call; by default the number of items. */
  total: (call: number) => number;
  tokensGiven: number;
  /** Refuses all tokens issued so far. */
  expireTokens(): void;
}

/** Responds in the form that the documentation of eBay's Browse API describes, including refused pages. */
export async function startEbay(items: object[]): Promise<EbayServer> {
  let oldestValid = 1;
  let calls = 0;
  const upstream = await startUpstream((seen, response) => {
    if (seen.url.pathname === "/identity/v1/oauth2/token") {
      if (!isClient(seen)) return sendJson(response, 401, { error: "invalid_client" });
      ebay.tokensGiven += 1;
      return sendJson(response, 200, {
        access_token: `token-${ebay.tokensGiven}`,
        expires_in: 7200,
        token_type: "Application Access Token",
      });
    }
    const token = Number(/^Bearer token-(\d+)$/.exec(seen.headers.authorization ?? "")?.[1]);
    if (!(token >= oldestValid && token <= ebay.tokensGiven))
      return sendJson(response, 401, fault(1001, "Invalid access token"));
    calls += 1;
    const [status, body] = search(seen.url, ebay.items, ebay.total(calls));
    sendJson(response, status, body);
  });
  const ebay: EbayServer = Object.assign(upstream, {
    items,
    total: () => ebay.items.length,
    tokensGiven: 0,
    expireTokens() {
      oldestValid = ebay.tokensGiven + 1;
    },
  });
  return ebay;
}

function isClient({ headers, body }: Seen): boolean {
  const expected = Buffer.from("app-id%3Awith+colon:cert%2Bid%2Fsecret").toString("base64");
  const form = new URLSearchParams(body);
  return (
    headers.authorization === `Basic ${expected}` &&
    form.get("grant_type") === "client_credentials" &&
    form.get("scope") === "https://api.ebay.com/oauth/api_scope"
  );
}

function search(url: URL, items: object[], total: number): [number, object] {
  if (url.pathname !== "/buy/browse/v1/item_summary/search") return [404, fault(2002, "Resource not found")];
  const limit = Number(url.searchParams.get("limit") ?? 50);
  const offset = Number(url.searchParams.get("offset") ?? 0);
  if (!url.searchParams.get("q"))
    return [400, fault(12_001, "The call must have a valid 'q' query parameter.")];
  if (!(limit >= 1 && limit <= 200))
    return [400, fault(12_002, "The 'limit' value should be between 1 and 200.")];
  if (offset % limit !== 0)
    return [400, fault(12_515, "The 'offset' value must be zero or a multiple of 'limit'.")];
  if (offset >= 10_000) return [400, fault(12_013, "The 'offset' value is too large.")];
  const itemSummaries = items.slice(offset, offset + limit);
  return [200, { href: url.href, total, limit, offset, ...(itemSummaries.length > 0 && { itemSummaries }) }];
}

function fault(errorId: number, message: string): object {
  return { errors: [{ errorId, domain: "API_BROWSE", category: "REQUEST", message }] };
}

/** An item summary with the fields that the profile reads and some that it must not. */
export function ebayItem(n: number, over: object = {}): object {
  return {
    itemId: `v1|${n}|0`,
    legacyItemId: String(n),
    title: `Running shoe ${n}`,
    price: { value: "59.99", currency: "USD" },
    itemWebUrl: `https://www.ebay.com/itm/${n}?hash=abc`,
    image: { imageUrl: `https://i.ebayimg.com/images/g/${n}/s-l225.jpg` },
    seller: { username: "runner_shop", feedbackPercentage: "99.6", feedbackScore: 1234 },
    condition: "New",
    shippingOptions: [{ shippingCostType: "FIXED", shippingCost: { value: "12.50", currency: "USD" } }],
    buyingOptions: ["FIXED_PRICE"],
    ...over,
  };
}
