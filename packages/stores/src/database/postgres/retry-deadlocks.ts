import { retry } from "@product-search/core/mechanisms/retry.ts";
import { isDeadlock } from "./is-server-error.ts";

/** Runs a whole transaction again if PostgreSQL ended it because of a deadlock. */
export function retryDeadlocks<Result>(transact: () => Promise<Result>): Promise<Result> {
  return retry(transact, { maxAttempts: 5, isWorthRetrying: isDeadlock });
}
