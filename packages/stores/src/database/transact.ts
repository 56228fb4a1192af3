import { type Kysely, sql } from "kysely";
import { isServerError } from "./postgres/errors.ts";
import type { Database } from "./schema.ts";
import * as Sqlite from "./sqlite.ts";

/** Does the work in the open transaction if `db` is one, otherwise in a new one. */
export function transact<Result>(
  db: Kysely<Database>,
  work: (transaction: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

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

const storeErrorCodes =
  /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|INTERRUPT|IOERR|LOCKED|NOMEM|NOTADB|PERM|PROTOCOL|READONLY)/;

/** Whether the database itself has an error, and not the item: then every other item would fail as well. */
export function isStoreError(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && storeErrorCodes.test(error.code);
}
