import type { FeedSchedule, TakenFeed } from "@product-search/core/ports/feed-schedule.ts";

const renewalsPerLease = 8;
/** The importer stops this part of the lease before it ends, so that no other one has begun. */
const marginPart = 8;

export interface HeldFeed {
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
