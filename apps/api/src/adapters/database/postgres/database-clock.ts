import { type Kysely, sql } from "kysely";
import type { Clock } from "../../../ports/clock.ts";
import type { Database } from "../schema.ts";

export interface DatabaseClock extends Clock {
  stop(): void;
}

const compareEveryMs = 10_000;

/**
 * The clocks of nodes differ by seconds or, if misconfigured, by hours. So leases and due times use the database's
 * clock. It is read every ten seconds; in between, the monotonic clock of this process is added. The error is half a
 * round trip. While the database cannot be reached, the time continues; before the first contact, it is this
 * machine's.
 */
export async function followDatabaseClock(
  db: Kysely<Database>,
  onError: (error: unknown) => void,
): Promise<DatabaseClock> {
  let offsetMs = Date.now() - performance.now();
  const compare = async () => {
    try {
      offsetMs = await readOffset(db);
    } catch (error) {
      onError(error);
    }
  };
  await compare();
  const timer = setInterval(compare, compareEveryMs);
  timer.unref();
  return {
    now: () => Math.round(performance.now() + offsetMs),
    stop: () => clearInterval(timer),
  };
}

/** The difference between the database's time and the time since this process started. */
async function readOffset(db: Kysely<Database>): Promise<number> {
  const before = performance.now();
  const result = await sql<{
    now: number;
  }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
  const middle = (before + performance.now()) / 2;
  const now = result.rows[0]?.now;
  if (now === undefined) throw new Error("PostgreSQL did not say what time it is.");
  return now - middle;
}
