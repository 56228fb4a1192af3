import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** Uses the open transaction if `db` is one, otherwise a new one. */
export function inTransaction<Result>(
  db: Kysely<Database>,
  work: (transaction: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
