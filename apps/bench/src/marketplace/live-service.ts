import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Profile } from "@product-search/marketplaces/http/profile/profile.ts";
import { type BenchService, startBenchService } from "../support/bench-service.ts";
import type { Ask } from "./open-loop.ts";

/** The service with two live marketplaces; responses of `a` stay fresh for this time. */
export function startLiveService(
  urls: { a: string; b: string },
  freshSeconds: number,
): Promise<BenchService> {
  return startBenchService({
    environment: (dataDir) => ({
      FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
      MARKETPLACE_A: writeProfile(join(dataDir, "a.yaml"), urls.a, freshSeconds),
      MARKETPLACE_B: writeProfile(join(dataDir, "b.yaml"), urls.b, 0),
    }),
  });
}

/** Searches the marketplace, one request at a time, like a client. */
export function askMarketplace({ root, token }: BenchService, marketplace: "a" | "b"): Ask {
  const headers = { authorization: `Bearer ${token}` };
  return async (query) => {
    const url = `${root}/api/v1/search/marketplace-${marketplace}?q=${encodeURIComponent(query)}`;
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return { status: response.status, cache: response.headers.get("cache-status") ?? "" };
  };
}

function writeProfile(file: string, baseUrl: string, freshSeconds: number): string {
  // With the type, a changed name of a field is an error here too.
  const profile: Profile = {
    name: "Bench",
    baseUrl,
    currency: "USD",
    request: { path: "/search", query: { q: "{query}" } },
    pagination: { style: "offset", offsetParameter: "from", limitParameter: "size", maxLimit: 100 },
    answer: { items: "items", total: "total" },
    item: { itemCode: "id", name: "name", price: "price", url: "url", description: "description" },
    cache: { freshSeconds, staleSeconds: 0 },
  };
  writeFileSync(file, JSON.stringify(profile));
  return file;
}
