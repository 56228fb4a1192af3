import { isDeadlock } from "./is-server-error.ts";

const maxAttempts = 5;

/** Runs a whole transaction again if PostgreSQL ended it because of a deadlock. */
export async function retryDeadlocks<Result>(transact: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
    }
  }
}
