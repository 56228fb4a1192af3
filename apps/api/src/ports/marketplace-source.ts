import type { MarketplaceListing, ProductSource } from "../domain/product.ts";
import type { ReadText } from "../domain/query-understanding/read-filters.ts";

export const marketplaces = ["marketplace-a", "marketplace-b"] as const satisfies readonly ProductSource[];
export type Marketplace = (typeof marketplaces)[number];

export interface MarketplaceQuery {
  /** As it was sent. */
  text: string;
  /** The same, taken apart: a source that can filter searches for the words alone. Left out when the text is to be taken literally. */
  read?: ReadText;
  /** How many products of the result list to skip. */
  offset: number;
  limit: number;
}

/** How a response relates to the cache in front of a live marketplace. */
export interface Freshness {
  /** `miss`: asked for now. `shared`: asked for by another search, just now. `stale`: the marketplace failed. */
  from: "miss" | "shared" | "cache" | "stale";
  ageSeconds: number;
  /** Seconds for which the response is still fresh; negative once it is stale. */
  freshForSeconds: number;
}

export interface MarketplacePage {
  /** Best first, no item twice, at most `limit`. */
  items: MarketplaceListing[];
  /** How many products match. Exact for an imported marketplace, the marketplace's own figure for a live one. */
  total: number;
  /** Whether products follow after this page. */
  hasMore: boolean;
  /** Only from a live marketplace. */
  freshness?: Freshness;
}

/** Whether a live marketplace is asked; half-open while one request probes whether it has recovered. */
export type Circuit = "closed" | "open" | "half-open";

/** What a live source tells of itself, for logs and metrics. Holds no text of a search and no secret. */
export type MarketplaceEvent =
  /** One request to the marketplace; many may make up a response, and retries are requests too. */
  | { kind: "request"; outcome: string; seconds: number }
  | { kind: "answer"; from: Freshness["from"] }
  /** No response of the marketplace: a stale one was served, or an error. */
  | { kind: "failure"; fault: string; message: string; cause: unknown; isStaleServed: boolean }
  | { kind: "circuit"; state: Circuit };

export type ObserveMarketplace = (event: MarketplaceEvent) => void;

/**
 * One external marketplace. Fails with `ApiError` only: `upstream_failed` or `upstream_timeout` say in one safe
 * line which marketplace and what happened. Never takes longer than three seconds.
 */
export interface MarketplaceSource {
  search(query: MarketplaceQuery, signal: AbortSignal): Promise<MarketplacePage>;
}
