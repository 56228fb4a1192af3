import { ApiError } from "@product-search/core/errors.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import type { Pool, PoolClient, PoolConfig } from "pg";
import type { Database } from "../schema.ts";
import { followDatabaseClock } from "./database-clock.ts";
import { createUnstorableTextPlugin, errorCode, explainPostgresError, nameOf } from "./errors.ts";
import { hasTables, migratePostgres } from "./migrate.ts";

/** Much longer than any of our statements; the longest are counts over all products. */
const defaultStatementTimeoutMs = 10_000;

const lockTimeoutMs = 5000;

/** Limits how long a node that was paused or disconnected inside a transaction holds its locks. */
const idleInTransactionTimeoutMs = 10_000;

const connectTimeoutMs = 3000;

/** A little more than the server's own limit, so that only an unreachable server exceeds it. */
const reserveMs = 1000;

const typeIds = { bigint: 20, float8: 701, numeric: 1700, integer: 23, real: 700, bytea: 17, boolean: 16 };

const numbers: readonly number[] = [
  typeIds.bigint,
  typeIds.float8,
  typeIds.numeric,
  typeIds.integer,
  typeIds.real,
];

export interface OpenPostgres {
  db: Kysely<Database>;
  /** For lease holders, whose writes are refused after their lease has passed on. */
  pool: PostgresPool;
  /** The database's time, so that all nodes use one clock. */
  clock: Clock;
  close(): Promise<void>;
}

export interface PostgresSettings {
  /** `postgres://user:password@host:port/database`, with the options of libpq. */
  url: string;
  /** Each thread has its own pool; connections are opened on demand. */
  maxConnections?: number;
  /** Then a statement is ended, and the server counts as unreachable. */
  statementTimeoutMs?: number;
  /** Refuse to create the tables: for what only reads, or only changes what is there already. */
  mustExist?: boolean;
  /** Called with errors of idle connections. */
  onError?: (error: unknown) => void;
}

/** Connects, and creates or migrates the tables if needed. Any number of nodes may do so at the same time. */
export async function openPostgres(settings: PostgresSettings): Promise<OpenPostgres> {
  const { db, pool, onError } = await createPool(settings);
  try {
    if (settings.mustExist && !(await hasTables(db)))
      throw new Error(
        `There is no store in the database ${nameOf(settings.url)}, and this command creates none: set DATABASE_URL to the ` +
          "database of the service. `pnpm api serve` and `pnpm api import` create a store.",
      );
    await migratePostgres(db);
    return await withClock(db, pool, onError);
  } catch (error) {
    await db.destroy();
    throw explainPostgresError(error, settings.url);
  }
}

/** For the threads of a process that has opened it before: they can start even if the server cannot be reached. */
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
  // Loaded only here: a service on one machine needs no driver.
  const { Pool } = await import("pg");
  const plain = new Pool(poolSettings(url, maxConnections, statementTimeoutMs));
  // The pool replaces a broken connection. Without a listener, its error event would end the process.
  plain.on("error", onError);
  plain.on("connect", (client) => client.on("error", onError));
  const pool = createGuardedPool(plain);
  const plugins = [createUnstorableTextPlugin()];
  return { db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }), plugins }), pool, onError };
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

export { nameOf } from "./errors.ts";

/** Set here and not in the server's configuration: a stuck statement must not block others for long. */
function poolSettings(
  url: string,
  maxConnections: number,
  statementTimeoutMs = defaultStatementTimeoutMs,
): PoolConfig {
  return {
    connectionString: url,
    max: maxConnections,
    application_name: "product-search",
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    query_timeout: statementTimeoutMs + reserveMs,
    types: { getTypeParser: numberParser },
  };
}

/** By default, integers of 64 bits are read as text. Ours are times, prices and row ids, all below 2^53. */
function numberParser(id: number): (value: string) => unknown {
  if (numbers.includes(id)) return Number;
  if (id === typeIds.bytea) return (value) => Buffer.from(value.slice(2), "hex");
  if (id === typeIds.boolean) return (value) => value === "t";
  return (value) => value;
}

/** Retry time; a restart of the server takes a few seconds. */
const retryAfterSeconds = 2;

/**
 * Turns errors of a connection (not of a statement) into `unavailable`, so that callers may retry. A connection with
 * such an error is not used again, not even for a `rollback`: after a timeout, that would wait as long once more. The server
 * rolls back when the connection is closed.
 */
export function createGuardedPool(pool: Pool): PostgresPool {
  const guarded = new WeakMap<PoolClient, Awaited<ReturnType<PostgresPool["connect"]>>>();
  return {
    async connect() {
      const client = await pool.connect().catch(rethrow);
      const known = guarded.get(client) ?? guardClient(client);
      guarded.set(client, known);
      return known;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

function guardClient(client: PoolClient): Awaited<ReturnType<PostgresPool["connect"]>> {
  let fault: unknown;
  return Object.assign(Object.create(client), {
    async query(...parameters: unknown[]) {
      if (fault !== undefined) return rethrow(fault);
      try {
        return await Reflect.apply(client.query, client, parameters);
      } catch (error) {
        if (isConnectionError(error)) fault = error;
        return rethrow(error);
      }
    },
    release: () => client.release(fault !== undefined),
  });
}

function rethrow(error: unknown): never {
  if (!isConnectionError(error)) throw error;
  throw new ApiError("unavailable", "The database cannot be reached at the moment. Send the request again.", {
    cause: error,
    retryAfterSeconds,
  });
}

/**
 * Codes of the system and of PostgreSQL: connections (08), insufficient resources (53), shutdown (57P), read-only
 * after a failover, and a connection that was closed because its transaction was idle for too long (25P03).
 */
const connectionCodes = /^(E[A-Z]+|08...|53...|57P..|25006|25P03)$/;
/** Messages of the driver that have no code. */
const connectionMessages = /terminated|timeout|not queryable|connection|Query read timeout/i;

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ApiError) return false;
  const code = errorCode(error);
  return code === "" ? connectionMessages.test(error.message) : connectionCodes.test(code);
}

/**
 * The first statement of a transaction whose locks others wait for. Limits how long a node that was paused inside it keeps them.
 */
export const limitIdleTime = "set local idle_in_transaction_session_timeout = 3000";
