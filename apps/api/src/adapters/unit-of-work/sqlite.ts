import type { Kysely } from "kysely";
import type { Actor } from "../../ports/audit-log.ts";
import type { TransactionStores, UnitOfWork } from "../../ports/unit-of-work.ts";
import type { Database } from "../database/schema.ts";

export interface UnitOfWorkSettings {
  db: Kysely<Database>;
  /** Binds the stores to a transaction. */
  bind(transaction: Kysely<Database>, actor: Actor): TransactionStores;
}

/** One transaction at a time on a connection: Kysely has everybody else who asks for it wait. */
export function createSqliteUnitOfWork({ db, bind }: UnitOfWorkSettings): UnitOfWork {
  return {
    transact: (actor, work) => db.transaction().execute((transaction) => work(bind(transaction, actor))),
  };
}
