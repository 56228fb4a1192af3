import type * as Sqlite from "./sqlite.ts";
import { commonTables } from "./tables.ts";

const appendOnly = "begin select raise(abort, 'the audit log is only ever appended to'); end";

/**
 * A change log has one row a product: a newer change replaces the older, so that the log stays as long as the catalog.
 *
 * `insert or replace` removes a row without firing the trigger for deletions, unless `recursive_triggers` is on, which is a
 * setting of each connection. So the insertion itself is refused: before it, because afterwards the former row is gone.
 * A row without a number has -1 there, which is never stored.
 */
const sqliteTables = `
${commonTables({
  text: "text",
  bytes: "blob",
  real: "real",
  serial: "integer primary key autoincrement",
  byKey: " without rowid",
})}
-- The price too, so that a history is read from the index alone.
create index price_history_product on price_history (product_row_id, at, price_minor);

create table changes (
  sequence integer primary key autoincrement,
  product_row_id integer not null unique
);

create table vector_changes (
  sequence integer primary key autoincrement,
  product_row_id integer not null unique
);

create trigger audit_log_no_update before update on audit_log ${appendOnly};
create trigger audit_log_no_delete before delete on audit_log ${appendOnly};
create trigger audit_log_no_replace before insert on audit_log
  when exists (select 1 from audit_log where row_id = new.row_id) ${appendOnly};
create trigger audit_log_only_appended after insert on audit_log
  when new.row_id < 1 or new.row_id < (select max(row_id) from audit_log) ${appendOnly};
`;

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
