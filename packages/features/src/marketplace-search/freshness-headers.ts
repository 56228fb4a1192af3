import type { Freshness } from "@product-search/core/ports/marketplace-source.ts";

/** `Age` (RFC 9111) and `Cache-Status` (RFC 9211) of a response of a live marketplace; none for an imported one. */
export function freshnessHeaders(freshness: Freshness | undefined): Record<string, string> {
  if (!freshness) return {};
  return {
    age: String(Math.max(0, Math.floor(freshness.ageSeconds))),
    "cache-status": `product-search; ${parameters(freshness)}`,
  };
}

function parameters({ from, freshForSeconds }: Freshness): string {
  switch (from) {
    case "miss":
      return "fwd=miss; stored";
    case "shared":
      return "fwd=miss; collapsed";
    case "cache":
      return `hit; ttl=${Math.floor(freshForSeconds)}`;
    case "stale":
      return `hit; ttl=${Math.floor(freshForSeconds)}; detail=upstream-failed`;
  }
}
