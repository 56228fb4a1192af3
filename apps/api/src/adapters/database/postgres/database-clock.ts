import { type Kysely, sql } from "kysely";
import type { Clock } from "../../../ports/clock.ts";
import type { Database } from "../schema.ts";

export interface DatabaseClock extends Clock {
  stop(): void;
}

const compareEveryMs = 10_000;

/**
 * The clocks of nodes differ, by seconds or, set wrongly, by hours: leases and due times go by the database's. It is
 * read every ten seconds and carried on in between by the time that passed here, which nobody sets. The error is half a
 * round trip. While the database cannot be reached the time goes on; before it was reached once, it is this machine's.
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

/** Between the database's time and the time since this process started. */
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
