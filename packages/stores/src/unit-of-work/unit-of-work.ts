import type { Actor } from "@product-search/core/ports/accounts.ts";
import type { TransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";

export interface UnitOfWorkSettings<Stores extends TransactionStores> {
  db: Kysely<Database>;
  /** Binds the stores to a transaction. */
  bind(transaction: Kysely<Database>, actor: Actor): Stores;
}

/**
 * For SQLite and PostgreSQL. SQLite runs one transaction at a time, and other callers wait. PostgreSQL runs them
 * concurrently: stores that read before they write lock the rows that they read.
 */
export function createSqlUnitOfWork<Stores extends TransactionStores>({
  db,
  bind,
}: UnitOfWorkSettings<Stores>): UnitOfWork<Stores> {
  return {
    transact: (actor, work) => db.transaction().execute((transaction) => work(bind(transaction, actor))),
  };
}
