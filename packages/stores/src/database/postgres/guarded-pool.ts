import { ApiError } from "@product-search/core/errors.ts";
import type { PostgresPool } from "kysely";
import type { Pool, PoolClient } from "pg";
import { errorCode } from "./explain-postgres-error.ts";

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

export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ApiError) return false;
  const code = errorCode(error);
  return code === "" ? connectionMessages.test(error.message) : connectionCodes.test(code);
}
