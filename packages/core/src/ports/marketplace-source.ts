import type { MarketplaceListing } from "../domain/product.ts";
import type { ReadText } from "../domain/query-understanding/read-filters.ts";
import type { Circuit } from "../mechanisms/circuit-breaker.ts";

export { type Marketplace, marketplaces } from "../domain/fields.ts";

export interface MarketplaceQuery {
  /** As sent. */
  text: string;
  /** The query with its filters separated, for sources that can filter. Absent if the text is searched literally. */
  read?: ReadText;
  /** How many products of the result list to skip. */
  offset: number;
  limit: number;
}

/** How a response was served by the cache of a live marketplace. */
export interface Freshness {
  /** `miss`: requested now. `shared`: requested by a concurrent search. `stale`: the marketplace failed. */
  from: "miss" | "shared" | "cache" | "stale";
  ageSeconds: number;
  /** Seconds until the response is stale; negative if it already is. */
  freshForSeconds: number;
}

export interface MarketplacePage {
  /** Best first, no item twice, at most `limit`. */
  items: MarketplaceListing[];
  /** The number of matches. Exact for an imported marketplace; for a live one, the number that it reports. */
  total: number;
  /** Whether there are more products after this page. */
  hasMore: boolean;
  /** Only from a live marketplace. */
  freshness?: Freshness;
}

/** Events of a live source for logs and metrics, without search texts and secrets. */
export type MarketplaceEvent =
  /** One request to the marketplace. A search may need several; retries count as well. */
  | { kind: "request"; outcome: string; seconds: number }
  | { kind: "answer"; from: Freshness["from"] }
  /** The marketplace failed: a stale response was served, or an error. */
  | { kind: "failure"; fault: string; message: string; cause: unknown; isStaleServed: boolean }
  /** Whether the marketplace is called; half-open while one request probes it. */
  | { kind: "circuit"; state: Circuit };

export type ObserveMarketplace = (event: MarketplaceEvent) => void;

/**
 * One external marketplace. Fails only with `ApiError`: `upstream_failed` or `upstream_timeout`, with a safe message
 * that names the marketplace and the cause. Never takes longer than three seconds.
 */
export interface MarketplaceSource {
  search(query: MarketplaceQuery, signal: AbortSignal): Promise<MarketplacePage>;
}
