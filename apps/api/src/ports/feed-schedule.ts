import type { ProductSource } from "../domain/product.ts";
import type { AbsentRule, FeedVersion } from "./import-journal.ts";

/** A feed that the service fetches again and again. Source and address name it. */
export interface ScheduledFeed {
  source: ProductSource;
  url: string;
  periodMs: number;
  absent: AbsentRule;
}

/** What a pull came to; the numbers are of products, but for `rows`. */
export interface PullResult {
  notModified: boolean;
  rows: number;
  refused: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  removed: number;
  outOfStock: number;
}

export interface FeedState extends ScheduledFeed {
  /** When it is fetched next. */
  nextAtMs: number;
  /** In a row. */
  failures: number;
  attemptedAtMs?: number;
  succeededAtMs?: number;
  /** Of the last attempt, if it failed. */
  error?: string;
  /** Of the last attempt that succeeded. */
  result?: PullResult;
  /** What the server said of the version that was imported last. */
  version?: Omit<FeedVersion, "url">;
}

export interface PullSuccess {
  nextAtMs: number;
  result: PullResult;
  version: Omit<FeedVersion, "url"> | undefined;
  /** Whole products were written over: other feeds of the source are read again, though they have not changed. */
  isOverwriting: boolean;
}

/** When feeds are fetched, and what came of it. All processes on one store share it. */
export interface FeedSchedule {
  /** These are the feeds from now on. New ones are due at once; of the others the state stays. */
  configure(feeds: readonly ScheduledFeed[]): Promise<void>;
  /** The feed that has been due for longest; nobody else is given it for `leaseMs`. */
  take(leaseMs: number): Promise<FeedState | undefined>;
  /** Goes on holding a feed that was taken. */
  renew(feed: ScheduledFeed, leaseMs: number): Promise<void>;
  /** These two end the lease. */
  recordSuccess(feed: ScheduledFeed, success: PullSuccess): Promise<void>;
  recordFailure(feed: ScheduledFeed, failure: { nextAtMs: number; error: string }): Promise<void>;
  /** Ends the lease of a feed whose import was interrupted; it is due again. */
  release(feed: ScheduledFeed): Promise<void>;
  /** By source and address. */
  list(): Promise<FeedState[]>;
}
