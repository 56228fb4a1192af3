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

/** Counts the requests of the last 24 hours, across restarts, processes and nodes. */
export interface DayQuota {
  /** Takes up to `wanted` of what `perDay` leaves in any 24 hours; returns the number it got. */
  take(perDay: number, count: number): Promise<number>;
}

/** Limits the requests of a second, for all that share it: the threads of one process, or all nodes. */
export interface SecondQuota {
  /**
   * Reserves the earliest time for one request that is at least `minWaitMs` from now. Returns how long to wait for it. If that is
   * more than `maxWaitMs`, nothing is reserved.
   */
  reserve(perSecond: number, minWaitMs: number, maxWaitMs: number): Promise<number>;
}

export const hourMs = 3_600_000;

/**
 * A day plus the current hour, so that the quota holds in every time zone in which the marketplace may
 * start its day.
 */
export const hoursCounted = 25;
