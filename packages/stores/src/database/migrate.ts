import type Sqlite from "better-sqlite3";
import { Kysely } from "kysely";
import { migrations } from "./migrations/index.ts";
import type { Database } from "./schema.ts";
import { createSqliteDialect } from "./sqlite-dialect.ts";

/** The schema version of a database that this program has migrated. */
export const newestVersion = Object.keys(migrations).length;

/** Migrates the database to the version of this program. Refuses one that a newer program has written. */
export async function migrate(db: Kysely<Database>, connection: Sqlite.Database): Promise<void> {
  const known = Object.entries(migrations);
  if (readVersion(connection, known.length) === known.length) return;
  // A migration may replace a table that others refer to. The pragma has no effect inside a transaction.
  connection.pragma("foreign_keys = OFF");
  // One process migrates; others wait here and find the work done.
  connection.exec("BEGIN IMMEDIATE");
  try {
    for (const [, migration] of known.slice(readVersion(connection, known.length))) {
      await migration.up(db);
    }
    connection.pragma(`user_version = ${known.length}`);
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  } finally {
    connection.pragma("foreign_keys = ON");
  }
}

/** Creates the tables of this program in an empty database. */
export async function migrateAll(connection: Sqlite.Database): Promise<void> {
  await migrate(new Kysely<Database>({ dialect: createSqliteDialect(connection) }), connection);
}

function readVersion(connection: Sqlite.Database, newest: number): number {
  const version = Number(connection.pragma("user_version", { simple: true }));
  if (version > newest) {
    throw new Error(
      `The store is of version ${version}, written by a newer release; this one understands up to ${newest}. ` +
        "Run the newer release, or restore a backup that this one wrote.",
    );
  }
  return version;
}
