import type * as Sqlite from "../database/sqlite.ts";

/** The version of a sorted file in which no identifier is repeated. Other files, and those of former releases, have 0. */
const noRepeats = 1;

/** Indexes the identifiers of a staging file that all rows were added to. SQLite sorts them on disk. */
export function sortRows(connection: Sqlite.Database): void {
  connection.exec("create index staged_id on staged (id); create index refused_id on refused (id)");
  const repeated = connection.prepare("select 1 from staged group by id having count(*) > 1 limit 1").get();
  if (repeated === undefined) connection.pragma(`user_version = ${noRepeats}`);
}

/** False for most feeds: they name each product once. */
export function mayRepeat(connection: Sqlite.Database): boolean {
  return connection.pragma("user_version", { simple: true }) !== noRepeats;
}
