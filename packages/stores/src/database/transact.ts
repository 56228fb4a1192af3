import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** Does the work in the open transaction if `db` is one, otherwise in a new one. */
export function transact<Result>(
  db: Kysely<Database>,
  work: (transaction: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
