import type { Snapshot } from "@product-search/text-index";
import type { MarketplacePage, MarketplaceQuery } from "../ports/marketplace-source.ts";

/**
 * What threads tell each other. A topic keeps its newest value for threads that start later; a service answers
 * calls, from whichever thread offers it. Features add their own lines here.
 */
export interface Topics {
  /** What is still missing before requests can be served; empty when ready. */
  missing: readonly string[];
  /** The text index as of the newest batch of changes: a handle to memory that all threads share. */
  textIndex: Snapshot;
}

export interface Services {
  /** All threads' metrics, merged. */
  metrics: { input: null; output: string };
  /** Offered by the thread of a live marketplace. */
  "marketplace-a": { input: MarketplaceQuery; output: MarketplacePage };
  "marketplace-b": { input: MarketplaceQuery; output: MarketplacePage };
}

/** What each thread is asked by the main thread; everyone answers for itself. */
export interface Polls {
  /** The thread's metrics as JSON. */
  metrics: { output: object[] };
}
