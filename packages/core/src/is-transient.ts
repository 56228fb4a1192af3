import { ApiError } from "./errors.ts";

/** PostgreSQL ended the statement: a lock was not free in time, it took too long, or there was a deadlock. */
const busyCodes = new Set(["55P03", "57014", "40P01", "40001"]);

/** The database cannot be reached, or is too busy: a retry succeeds later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === "unavailable";
  return error instanceof Error && "code" in error && busyCodes.has(String(error.code));
}
