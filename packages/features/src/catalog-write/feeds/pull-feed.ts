import { backoffMs } from "@product-search/core/mechanisms/retry.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { FeedSchedule, FeedState, PullResult, TakenFeed } from "@product-search/core/ports/imports.ts";
import { type ImportFeedDeps, type ImportObserver, importFeed } from "../import/import-feed.ts";
import type { ImportSummary } from "../import/import-summary.ts";

export interface PullFeedDeps extends ImportFeedDeps {
  feedSchedule: FeedSchedule;
  clock: Clock;
  /** Tests give a shorter one. */
  minFetchMs?: number;
}

export type PullObserver = Omit<ImportObserver, "onStep">;

export type Pulled = { feed: FeedState } & (
  | { summary: ImportSummary }
  | { error: unknown; nextAtMs: number }
);

const firstRetryMs = 60_000;
/** Fetching a feed may take as long as its period, but no less and no more than these. */
const usualMinFetchMs = 10 * 60_000;
const maxFetchMs = 6 * 60 * 60_000;

/** Imports the feed that has been due for longest; undefined when none is. Fails only when the store does. */
export async function pullDueFeed(
  deps: PullFeedDeps,
  observe: (feed: FeedState) => PullObserver,
  signal: AbortSignal,
): Promise<Pulled | undefined> {
  const { feedSchedule, clock } = deps;
  const feed = await feedSchedule.take();
  if (feed === undefined) return undefined;
  const startedAtMs = clock.now();
  const held = holdFeed(feedSchedule, feed, signal);
  try {
    const { source, url, absent, version } = feed;
    const options = {
      feed: url,
      source,
      absent,
      current: { version },
      maxFetchMs: Math.min(maxFetchMs, Math.max(feed.periodMs, deps.minFetchMs ?? usualMinFetchMs)),
    };
    const summary = await importFeed(deps, options, { onStep: () => {}, ...observe(feed) }, held.signal);
    await feedSchedule.recordSuccess(feed, {
      nextAtMs: Math.max(clock.now(), startedAtMs + feed.periodMs),
      result: toResult(summary, feed.result),
      version: summary.notModified ? version : summary.version,
      isOverwriting: !summary.notModified && summary.kind === "products",
    });
    return { feed, summary };
  } catch (error) {
    if (held.signal.aborted) {
      await feedSchedule.release(feed);
      throw error;
    }
    const nextAtMs = clock.now() + retryAfterMs(feed);
    const message = error instanceof Error ? error.message : String(error);
    await feedSchedule.recordFailure(feed, { nextAtMs, error: message });
    return { feed, error, nextAtMs };
  } finally {
    held.stop();
  }
}

/** A minute, then twice as long each time, but never longer than the feed's own period. */
function retryAfterMs({ failures, periodMs }: FeedState): number {
  return backoffMs(failures, firstRetryMs, periodMs);
}

/** An unchanged feed is still the one that was imported last. */
function toResult(summary: ImportSummary, last: PullResult | undefined): PullResult {
  const { notModified, rows, refused, duplicates, created, updated, unchanged, failed, notFound, outdated } =
    summary;
  if (notModified && last !== undefined) return { ...last, notModified };
  const removed = summary.removed + summary.removedAbsent;
  return {
    notModified,
    rows,
    refused,
    duplicates,
    created,
    updated,
    unchanged,
    failed,
    removed,
    notFound,
    outdated,
    outOfStock: summary.outOfStock,
  };
}

const renewalsPerLease = 8;
/** The importer stops this part of the lease before it ends, so that no other one has begun. */
const marginPart = 8;

interface HeldFeed {
  /** Aborted when the lease is lost or cannot be renewed, or with the given signal: the import must stop. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Renews the lease of a feed while it is imported. */
export function holdFeed(
  schedule: Pick<FeedSchedule, "leaseMs" | "renew">,
  feed: TakenFeed,
  stopping: AbortSignal,
): HeldFeed {
  const { leaseMs } = schedule;
  const lost = new AbortController();
  const lose = () => lost.abort(new Error("The import of the feed has passed to another process."));
  const untilEndMs = leaseMs - leaseMs / marginPart;
  let ending = setTimeout(lose, untilEndMs);
  const renew = async () => {
    const sentMs = performance.now();
    if (!(await schedule.renew(feed))) return lose();
    clearTimeout(ending);
    ending = setTimeout(lose, Math.max(0, sentMs + untilEndMs - performance.now()));
  };
  // After a failure, the next renewal tries again.
  const renewing = setInterval(() => void renew().catch(() => {}), leaseMs / renewalsPerLease);
  return {
    signal: AbortSignal.any([stopping, lost.signal]),
    stop() {
      clearInterval(renewing);
      clearTimeout(ending);
    },
  };
}
