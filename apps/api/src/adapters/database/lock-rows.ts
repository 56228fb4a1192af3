import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/**
 * Until the transaction ends, whoever else locks the account waits. Changes nothing: PostgreSQL locks what a statement
 * writes, and SQLite, which has one writer at a time, has no other words for it.
 */
export async function lockAccount(transaction: Kysely<Database>, accountId: string): Promise<void> {
  await transaction
    .updateTable("accounts")
    .set((row) => ({ created_at: row.ref("created_at") }))
    .where("id", "=", accountId)
    .execute();
}
