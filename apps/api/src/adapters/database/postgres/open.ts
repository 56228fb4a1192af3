import { Kysely, PostgresDialect } from "kysely";
import type { Pool } from "pg";
import type { Clock } from "../../../ports/clock.ts";
import type { Database } from "../schema.ts";
import { type DatabaseClock, followDatabaseClock } from "./database-clock.ts";
import { explainPostgresError } from "./explain-postgres-error.ts";
import { migratePostgres } from "./migrate.ts";
import { poolSettings } from "./pool-settings.ts";

export interface OpenPostgres {
  db: Kysely<Database>;
  /** The database's time: what nodes write and compare is by one clock. */
  clock: Clock;
  close(): Promise<void>;
}

export interface PostgresSettings {
  /** `postgres://user:password@host:port/database`, with the options of libpq. */
  url: string;
  /** Each thread has a pool of its own; connections are made when they are needed. */
  maxConnections?: number;
  /** What went wrong on a connection that nobody was using. */
  onError?: (error: unknown) => void;
}

/** Connects, and makes or migrates the tables when needed. Any number of nodes may at the same time. */
export async function openPostgres({
  url,
  maxConnections = 4,
  onError = () => {},
}: PostgresSettings): Promise<OpenPostgres> {
  // Loaded here alone: who runs on one machine loads no driver.
  const { Pool } = await import("pg");
  const pool = new Pool(poolSettings(url, maxConnections));
  // The pool makes a new connection for the one that broke; unheard, the event would end the process.
  pool.on("error", onError);
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  const clock = await prepare(db, pool, url, onError);
  return {
    db,
    clock,
    close: async () => {
      clock.stop();
      await db.destroy();
    },
  };
}

async function prepare(
  db: Kysely<Database>,
  pool: Pool,
  url: string,
  onError: (error: unknown) => void,
): Promise<DatabaseClock> {
  try {
    await migratePostgres(db);
    return await followDatabaseClock(db, onError);
  } catch (error) {
    await pool.end();
    throw explainPostgresError(error, url);
  }
}
