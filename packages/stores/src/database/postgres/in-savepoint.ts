import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";
import { isServerError } from "./errors.ts";

/**
 * Does the work in a savepoint of the open transaction. If it fails it is rolled back, and `onError` handles the
 * error. An error of the server itself is thrown.
 */
export async function inSavepoint<Result>(
  transaction: Kysely<Database>,
  work: () => Promise<Result>,
  onError: (error: unknown) => Promise<Result>,
): Promise<Result> {
  await sql`savepoint item`.execute(transaction);
  try {
    const result = await work();
    await sql`release savepoint item`.execute(transaction);
    return result;
  } catch (error) {
    if (isServerError(error)) throw error;
    await sql`rollback to savepoint item`.execute(transaction);
    await sql`release savepoint item`.execute(transaction);
    return onError(error);
  }
}
