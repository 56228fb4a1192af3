import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/**
 * Locks the account until the transaction ends. The statement changes nothing, but PostgreSQL locks the rows that it
 * writes. SQLite has only one writer at a time and needs no lock.
 */
export async function lockAccount(transaction: Kysely<Database>, accountId: string): Promise<void> {
  await transaction
    .updateTable("accounts")
    .set((row) => ({ created_at: row.ref("created_at") }))
    .where("id", "=", accountId)
    .execute();
}
