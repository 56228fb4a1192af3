import type * as Sqlite from "./sqlite.ts";
import { sqliteTables } from "./sqlite-tables.ts";

/** In the order they run. After the first release, what is in here is never edited: a later one mends it. */
const migrations: readonly string[] = [sqliteTables];

/** The schema version of a database that this program has migrated. */
export const newestVersion = migrations.length;

/** Migrates the database to the version of this program. Refuses one that a newer program has written. */
export function migrate(connection: Sqlite.Database): void {
  if (readVersion(connection) === newestVersion) return;
  // A migration may replace a table that others refer to. The pragma has no effect inside a transaction.
  connection.pragma("foreign_keys = OFF");
  // One process migrates; others wait here and find the work done.
  connection.exec("BEGIN IMMEDIATE");
  try {
    for (const migration of migrations.slice(readVersion(connection))) connection.exec(migration);
    connection.pragma(`user_version = ${newestVersion}`);
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  } finally {
    connection.pragma("foreign_keys = ON");
  }
}

function readVersion(connection: Sqlite.Database): number {
  const version = Number(connection.pragma("user_version", { simple: true }));
  if (version > newestVersion) {
    throw new Error(
      `The store is of version ${version}, written by a newer release; this one understands up to ${newestVersion}. ` +
        "Run the newer release, or restore a backup that this one wrote.",
    );
  }
  return version;
}
