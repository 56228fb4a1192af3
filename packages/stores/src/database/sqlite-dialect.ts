import { setImmediate } from "node:timers/promises";
import { CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver } from "kysely";
import type * as Sqlite from "./sqlite.ts";

/**
 * Transactions take the write lock when they begin: a transaction that reads first fails on its first write if
 * another one has written in between. After some errors, such as a full disk, SQLite has already rolled back. A
 * second rollback would fail, and its error would hide the first one.
 *
 * Several parts of the service share a thread, each with a connection. A write on one of them would block the thread
 * while a transaction of another is open, and so the transaction too: it would fail with "database is locked". So a
 * transaction begins with an empty queue of microtasks: its queries need nothing else, and no other part runs between.
 */
export function createSqliteDialect(connection: Sqlite.Database): SqliteDialect {
  class TolerantDriver extends SqliteDriver {
    override async beginTransaction(held: DatabaseConnection): Promise<void> {
      await setImmediate();
      await held.executeQuery(CompiledQuery.raw("begin immediate"));
    }
    override async rollbackTransaction(held: DatabaseConnection): Promise<void> {
      if (connection.inTransaction) await super.rollbackTransaction(held);
    }
  }
  class TolerantDialect extends SqliteDialect {
    override createDriver(): Driver {
      return new TolerantDriver({ database: connection });
    }
  }
  return new TolerantDialect({ database: connection });
}
