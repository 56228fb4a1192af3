import type Sqlite from "better-sqlite3";
import { CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver } from "kysely";

/**
 * Transactions take the write lock when they begin: a transaction that reads first fails on its first write if
 * another one has written in between. After some errors, such as a full disk, SQLite has already rolled back. A
 * second rollback would fail, and its error would hide the first one.
 */
export function createSqliteDialect(connection: Sqlite.Database): SqliteDialect {
  class TolerantDriver extends SqliteDriver {
    override async beginTransaction(held: DatabaseConnection): Promise<void> {
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
