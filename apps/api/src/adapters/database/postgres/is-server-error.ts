import { ApiError } from "../../../errors.ts";
import { errorCode } from "./explain-postgres-error.ts";

/** Class 22 is data that does not fit, 23 a broken constraint, P0001 is raised by a trigger: those blame the item. */
const itemFaults = /^(22|23|P0001$)/;

/** Whether the server or the way to it is at fault, and not the item being written: then every other item would fail as well. */
export function isServerError(error: unknown): boolean {
  if (error instanceof ApiError) return true;
  const code = errorCode(error);
  return /^[0-9A-Z]{5}$/.test(code) && !itemFaults.test(code);
}

/** Two transactions waited for each other, and PostgreSQL ended this one: done again, it succeeds. */
export function isDeadlock(error: unknown): boolean {
  return errorCode(error) === "40P01" || errorCode(error) === "40001";
}
