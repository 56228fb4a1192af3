import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "@product-search/core/ports/clock.ts";
import type {
  Marketplace,
  MarketplaceEvent,
  MarketplaceSource,
} from "@product-search/core/ports/marketplace-source.ts";
import type { DayQuota } from "@product-search/core/ports/quotas.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import { parseProfile } from "../src/http/profile/parse-profile.ts";
import type { Profile } from "../src/http/profile/profile.ts";
import { createHttpSource } from "../src/http.ts";
import { bestBuyCredentials } from "./best-buy-server.ts";
import { ebayCredentials } from "./ebay-server.ts";

/** An included profile, with the URL of a local server. */
export function shippedProfile(file: string, baseUrl: string, over: Partial<Profile> = {}): Profile {
  const address = new URL(`../profiles/${file}`, import.meta.url);
  const text = readFileSync(address, "utf8").replaceAll(
    /https:\/\/api\.(ebay|bestbuy)\.com(?=\/identity|$)/gm,
    baseUrl,
  );
  return { ...parseProfile(text, file, "USD"), ...over };
}

/** The minimal profile. */
export function plainProfile(baseUrl: string, over: Partial<Profile> = {}): Profile {
  return {
    name: "Plain",
    baseUrl,
    currency: "USD",
    request: { path: "/search", query: { q: "{query}" } },
    pagination: { style: "offset", offsetParameter: "from", limitParameter: "size", maxLimit: 100 },
    answer: { items: "items", total: "total" },
    item: { itemCode: "id", name: "name", price: "price", url: "url" },
    ...over,
  };
}

/** An unlimited quota. */
export const endlessQuota: DayQuota = { take: async (_, count) => count };

export interface LiveSource extends MarketplaceSource {
  events: MarketplaceEvent[];
  find(text: string, offset?: number, limit?: number): ReturnType<MarketplaceSource["search"]>;
  close(): Promise<void>;
}

/** The real source over real connections to loopback. */
export function liveSource(
  profile: Profile,
  options: {
    marketplace?: Marketplace;
    secrets?: Readonly<Record<string, string>>;
    dayQuota?: DayQuota;
    clock?: Clock;
    deadlineMs?: number;
  } = {},
): LiveSource {
  const outboundHttp = createUndiciOutboundHttp({ allowNetworks: ["127.0.0.0/8"], httpsOnly: true });
  const secrets = options.secrets ?? { ...ebayCredentials, ...bestBuyCredentials };
  const events: MarketplaceEvent[] = [];
  const source = createHttpSource({
    marketplace: options.marketplace ?? "marketplace-a",
    profile,
    outboundHttp,
    secret: (name) => secrets[name] ?? "",
    dayQuota: options.dayQuota ?? endlessQuota,
    clock: options.clock ?? systemClock,
    deadlineMs: options.deadlineMs,
    observe: (event) => events.push(event),
  });
  return {
    ...source,
    events,
    find: (text, offset = 0, limit = 20) =>
      source.search({ text, offset, limit }, new AbortController().signal),
    close: () => outboundHttp.close(),
  };
}
