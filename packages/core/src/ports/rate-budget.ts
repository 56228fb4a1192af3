/** This many requests in this many seconds; no limit if absent. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

/** A node's request for a part of a key's budget in a window. */
export interface BudgetRequest {
  key: string;
  /** Identifies the window; the same on all nodes. */
  window: number;
  /** The end of the window, after which its budget may be removed. */
  endsAtMs: number;
  /** The number of requests that all nodes together may admit. */
  limit: number;
  /** Requests that this node has admitted without asking; counted now. */
  spent: number;
}

export interface BudgetSlice {
  /** How many more requests this node may admit; 0 if the budget is used up. */
  granted: number;
  /** What is left for all nodes after that. */
  left: number;
}

/**
 * The requests that all nodes of a cluster together may still admit. Nodes take it in slices, so that few requests
 * wait for the database. Slices get smaller near the end of a budget, so that little of it stays unused on a node.
 */
export interface RateBudget {
  /** One slice per request, in the same order. Admitted requests are counted even beyond the limit. */
  take(requests: readonly BudgetRequest[]): Promise<BudgetSlice[]>;
  /** Reports that this node is alive. Returns the number of live nodes, including this one. */
  beat(node: string): Promise<number>;
}
