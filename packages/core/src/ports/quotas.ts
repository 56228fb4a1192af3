/** This many requests in this many seconds; no limit if absent. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

/** What a node has admitted of a key's limit in a window since its last report, and what it asks for. */
export interface RateReport {
  key: string;
  /** Identifies the window; the same on all nodes. */
  window: number;
  /** The end of the window, after which its budget may be removed. */
  endsAtMs: number;
  /** The number of requests that all nodes together may admit. */
  limit: number;
  /** Requests that this node has admitted without asking. They count even beyond the limit. */
  used: number;
  /** Requests that wait for a decision. */
  asked: number;
}

/** The requests that all nodes of a cluster together have admitted. */
export interface RateBudget {
  /** For each report, in the same order: how many of the waiting requests are admitted, and what all nodes have used then. */
  report(reports: readonly RateReport[]): Promise<{ granted: number; used: number }[]>;
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

/** Requests sent a second apart may arrive closer together, so this is added to the distance. */
export const secondMs = 1050;
