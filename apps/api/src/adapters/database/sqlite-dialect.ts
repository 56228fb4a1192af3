import type Sqlite from "better-sqlite3";
import { type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver } from "kysely";

/**
 * After some failures, a full disk for one, SQLite has rolled back by itself. Rolling back once more would fail, and
 * that failure would hide the first one.
 */
export function createSqliteDialect(connection: Sqlite.Database): SqliteDialect {
  class TolerantDriver extends SqliteDriver {
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
