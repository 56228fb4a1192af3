import type Sqlite from "better-sqlite3";
import { CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver } from "kysely";

/**
 * Transactions take the lock of writers when they begin: one that reads first fails as soon as it writes, when somebody
 * else wrote in between. After some failures, a full disk for one, SQLite has rolled back by itself. Rolling back once more would fail, and
 * that failure would hide the first one.
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
