import type { PoolConfig } from "pg";

/** Much longer than any of our statements; the longest are counts over all products. */
const defaultStatementTimeoutMs = 10_000;
const lockTimeoutMs = 5000;
/** Limits how long a node that was paused or disconnected inside a transaction holds its locks. */
const idleInTransactionTimeoutMs = 10_000;
const connectTimeoutMs = 3000;
/** A little more than the server's own limit, so that only an unreachable server exceeds it. */
const reserveMs = 1000;

/** Set here and not in the server's configuration: a stuck statement must not block others for long. */
export function poolSettings(
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

const typeIds = { bigint: 20, float8: 701, numeric: 1700, integer: 23, real: 700, bytea: 17, boolean: 16 };
const numbers: readonly number[] = [
  typeIds.bigint,
  typeIds.float8,
  typeIds.numeric,
  typeIds.integer,
  typeIds.real,
];

/** By default, integers of 64 bits are read as text. Ours are times, prices and row ids, all below 2^53. */
function numberParser(id: number): (value: string) => unknown {
  if (numbers.includes(id)) return Number;
  if (id === typeIds.bytea) return (value) => Buffer.from(value.slice(2), "hex");
  if (id === typeIds.boolean) return (value) => value === "t";
  return (value) => value;
}
