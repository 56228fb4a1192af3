import { ApiError } from "@product-search/core/errors.ts";
import { errorCode } from "./explain-postgres-error.ts";

/**
 * Class 22 is invalid data, 23 a violated constraint, and P0001 an error of a trigger: these are errors of the item.
 */
const itemFaults = /^(22|23|P0001$)/;

/** Whether the server or the connection has an error, and not the item: then every other item would fail as well. */
export function isServerError(error: unknown): boolean {
  if (error instanceof ApiError) return true;
  const code = errorCode(error);
  return /^[0-9A-Z]{5}$/.test(code) && !itemFaults.test(code);
}

/** PostgreSQL ended this transaction because of a deadlock. A retry succeeds. */
export function isDeadlock(error: unknown): boolean {
  return errorCode(error) === "40P01" || errorCode(error) === "40001";
}

/** A lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === "55P03";
}
