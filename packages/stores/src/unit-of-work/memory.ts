import type { Actor } from "@product-search/core/ports/accounts.ts";
import type { TransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";
import { insideTransaction, type MemoryDatabase } from "../database/memory/memory.ts";

export interface MemoryUnitOfWorkSettings {
  database: MemoryDatabase;
  /** Binds the stores to a transaction. */
  bind(transaction: MemoryDatabase, actor: Actor): TransactionStores;
}

export function createMemoryUnitOfWork({ database, bind }: MemoryUnitOfWorkSettings): UnitOfWork {
  return {
    transact: (actor, work) => database.transact(() => work(bind(insideTransaction(database), actor))),
  };
}
