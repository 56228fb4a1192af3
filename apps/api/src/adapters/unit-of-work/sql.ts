import type { Kysely } from "kysely";
import type { Actor } from "../../ports/audit-log.ts";
import type { TransactionStores, UnitOfWork } from "../../ports/unit-of-work.ts";
import type { Database } from "../database/schema.ts";

export interface UnitOfWorkSettings {
  db: Kysely<Database>;
  /** Binds the stores to a transaction. */
  bind(transaction: Kysely<Database>, actor: Actor): TransactionStores;
}

/**
 * For SQLite and PostgreSQL. On SQLite there is one transaction at a time, and whoever asks for another waits. PostgreSQL
 * runs them side by side: stores that read before they write lock what they have read.
 */
export function createSqlUnitOfWork({ db, bind }: UnitOfWorkSettings): UnitOfWork {
  return {
    transact: (actor, work) => db.transaction().execute((transaction) => work(bind(transaction, actor))),
  };
}
