import type { Clock } from "@product-search/core/ports/clock.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

export interface DatabaseClock extends Clock {
  stop(): void;
}

/** The difference between the database's time and the time since this process started lies between these two. */
interface Bounds {
  least: number;
  most: number;
}

export interface CompareTimes {
  everyMs: number;
  /** After a reply that was too slow. */
  againAfterMs: number;
}

const defaultTimes: CompareTimes = { everyMs: 10_000, againAfterMs: 1_000 };
/** A reply that took longer does not say when the database read its clock. */
const slowMs = 250;

/**
 * The clocks of nodes differ by seconds or, if misconfigured, by hours. So leases and due times use the database's
 * clock. It is read every ten seconds; in between, the monotonic clock of this process is added. The error is half a
 * round trip. While the database cannot be reached, the time continues; before the first contact, it is this
 * machine's.
 */
export async function followDatabaseClock(
  db: Kysely<Database>,
  onError: (error: unknown) => void,
  { everyMs, againAfterMs } = defaultTimes,
): Promise<DatabaseClock> {
  let offsetMs = Date.now() - performance.now();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const compare = async () => {
    let nextMs = everyMs;
    try {
      const bounds = await readBounds(db);
      offsetMs = within(bounds, offsetMs);
      if (isSlow(bounds)) nextMs = againAfterMs;
    } catch (error) {
      onError(error);
    }
    if (!isStopped) timer = setTimeout(compare, nextMs).unref();
  };
  await compare();
  return {
    now: () => Math.round(performance.now() + offsetMs),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * The middle after a fast reply. After a slow one, the former offset as far as it is possible: when the database stalled,
 * it read its clock at the end of the round trip, and the middle would be seconds wrong.
 */
function within(bounds: Bounds, formerMs: number): number {
  const { least, most } = bounds;
  if (!isSlow(bounds)) return (least + most) / 2;
  return Math.min(Math.max(formerMs, least), most);
}

function isSlow({ least, most }: Bounds): boolean {
  return most - least > slowMs;
}

async function readBounds(db: Kysely<Database>): Promise<Bounds> {
  const before = performance.now();
  const result = await sql<{
    now: number;
  }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
  const after = performance.now();
  const now = result.rows[0]?.now;
  if (now === undefined) throw new Error("PostgreSQL did not say what time it is.");
  return { least: now - after, most: now - before };
}
