import { type Kysely, sql } from "kysely";
import { isServerError } from "./postgres/errors.ts";
import type { Database } from "./schema.ts";
import { isStoreError } from "./store-error.ts";

/**
 * Does the work in a savepoint of the open transaction. If it fails it is rolled back, and `onError` handles the
 * error. An error of the database itself is thrown.
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
    if (isServerError(error) || isStoreError(error)) throw error;
    await sql`rollback to savepoint item`.execute(transaction);
    await sql`release savepoint item`.execute(transaction);
    return onError(error);
  }
}
