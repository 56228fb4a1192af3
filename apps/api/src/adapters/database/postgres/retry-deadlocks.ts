import { isDeadlock } from "./is-server-error.ts";

const maxAttempts = 5;

/** Does a whole transaction again that PostgreSQL ended because it and another one waited for each other. */
export async function retryDeadlocks<Result>(transact: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
    }
  }
}
