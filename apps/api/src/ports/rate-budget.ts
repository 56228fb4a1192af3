/** What one node asks of the budget of a key in a window. */
export interface BudgetRequest {
  key: string;
  /** Whatever tells windows apart; the same on all nodes. */
  window: number;
  /** When the window is over and its budget may be forgotten. */
  endsAtMs: number;
  /** How many requests all nodes together may admit. */
  limit: number;
  /** What this node has taken without asking, counted now. */
  spent: number;
}

export interface BudgetSlice {
  /** How many more requests this node may admit; 0 when the budget is used up. */
  granted: number;
  /** What is left for all nodes after that. */
  left: number;
}

/**
 * The requests that all nodes of a cluster together may still admit. Nodes take it in slices, so that few requests wait for
 * the database. Slices get smaller as a budget comes to its end: little is left unused on a node that does not need it.
 */
export interface RateBudget {
  /** A slice for each request, in the same order. What was spent is counted even beyond the limit. */
  take(requests: readonly BudgetRequest[]): Promise<BudgetSlice[]>;
  /** Tells the others that this node lives. How many live, this one among them. */
  beat(node: string): Promise<number>;
}
