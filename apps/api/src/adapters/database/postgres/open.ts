import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import type { Clock } from "../../../ports/clock.ts";
import type { Database } from "../schema.ts";
import { followDatabaseClock } from "./database-clock.ts";
import { explainPostgresError } from "./explain-postgres-error.ts";
import { createGuardedPool } from "./guarded-pool.ts";
import { migratePostgres } from "./migrate.ts";
import { poolSettings } from "./pool-settings.ts";

export interface OpenPostgres {
  db: Kysely<Database>;
  /** For the holders of leases, whose writes are fenced. */
  pool: PostgresPool;
  /** The database's time: what nodes write and compare is by one clock. */
  clock: Clock;
  close(): Promise<void>;
}

export interface PostgresSettings {
  /** `postgres://user:password@host:port/database`, with the options of libpq. */
  url: string;
  /** Each thread has a pool of its own; connections are made when they are needed. */
  maxConnections?: number;
  /** After it a statement is ended, and the server taken for one that cannot be reached. */
  statementTimeoutMs?: number;
  /** What went wrong on a connection that nobody was using. */
  onError?: (error: unknown) => void;
}

/** Connects, and makes or migrates the tables when needed. Any number of nodes may at the same time. */
export async function openPostgres(settings: PostgresSettings): Promise<OpenPostgres> {
  const { db, pool, onError } = await createPool(settings);
  try {
    await migratePostgres(db);
    return await withClock(db, pool, onError);
  } catch (error) {
    await db.destroy();
    throw explainPostgresError(error, settings.url);
  }
}

/** For the threads of a process that has opened it before: they start also while the server cannot be reached. */
export async function openMigratedPostgres(settings: PostgresSettings): Promise<OpenPostgres> {
  const { db, pool, onError } = await createPool(settings);
  return withClock(db, pool, onError);
}

async function createPool({
  url,
  maxConnections = 4,
  statementTimeoutMs,
  onError = () => {},
}: PostgresSettings) {
  // Loaded here alone: who runs on one machine loads no driver.
  const { Pool } = await import("pg");
  const plain = new Pool(poolSettings(url, maxConnections, statementTimeoutMs));
  // The pool makes a new connection for the one that broke; unheard, the events would end the process.
  plain.on("error", onError);
  plain.on("connect", (client) => client.on("error", onError));
  const pool = createGuardedPool(plain);
  return { db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }), pool, onError };
}

async function withClock(
  db: Kysely<Database>,
  pool: PostgresPool,
  onError: (error: unknown) => void,
): Promise<OpenPostgres> {
  const clock = await followDatabaseClock(db, onError);
  return {
    db,
    pool,
    clock,
    close: async () => {
      clock.stop();
      await db.destroy();
    },
  };
}

export { nameOf } from "./explain-postgres-error.ts";
