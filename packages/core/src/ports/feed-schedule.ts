import type { ProductSource } from "../domain/product.ts";
import type { AbsentRule, FeedVersion } from "./import-journal.ts";

/** A feed that the service imports repeatedly, identified by source and URL. */
export interface ScheduledFeed {
  source: ProductSource;
  url: string;
  periodMs: number;
  absent: AbsentRule;
}

/** The result of one import; the numbers count products, except `rows`, `refused` and `duplicates`. */
export interface PullResult {
  notModified: boolean;
  rows: number;
  refused: number;
  duplicates: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  removed: number;
  /** A row with prices and stock only, or a deletion, of a product that does not exist. */
  notFound: number;
  /** Not changed, because an import whose feed was fetched later has changed the product. */
  outdated: number;
  outOfStock: number;
}

export interface FeedState extends ScheduledFeed {
  /** The time of the next import. */
  nextAtMs: number;
  /** Consecutive failures. */
  failures: number;
  attemptedAtMs?: number;
  succeededAtMs?: number;
  /** The error of the last attempt, if it failed. */
  error?: string;
  /** The time of the last successful attempt. */
  result?: PullResult;
  /** The version that was imported last, as reported by the server. */
  version?: Omit<FeedVersion, "url">;
}

export interface PullSuccess {
  nextAtMs: number;
  result: PullResult;
  version: Omit<FeedVersion, "url"> | undefined;
  /** Whole products were overwritten: other feeds of the source are read again, even if they have not changed. */
  isOverwriting: boolean;
}

/** A feed that this process imports. The time at which it was taken identifies the lease. */
export type TakenFeed = FeedState & Required<Pick<FeedState, "attemptedAtMs">>;

/**
 * The schedule of feeds and the results of their imports. All processes on one database share it. What a process records
 * after its lease has passed to another one is ignored.
 */
export interface FeedSchedule {
  /** The duration of a lease: longer than an importer is ever busy between two renewals. */
  readonly leaseMs: number;
  /** Sets the feeds. New ones are due at once; existing ones keep their state. */
  configure(feeds: readonly ScheduledFeed[]): Promise<void>;
  /** Leases the feed that has been due for the longest time, for `leaseMs`. */
  take(): Promise<TakenFeed | undefined>;
  /** Renews the lease of a feed; false if it is lost. */
  renew(feed: TakenFeed): Promise<boolean>;
  /** These two end the lease. */
  recordSuccess(feed: TakenFeed, success: PullSuccess): Promise<void>;
  recordFailure(feed: TakenFeed, failure: { nextAtMs: number; error: string }): Promise<void>;
  /** Ends the lease of a feed whose import was interrupted; the feed is due again. */
  release(feed: TakenFeed): Promise<void>;
  /** Ordered by source and URL. */
  list(): Promise<FeedState[]>;
}
