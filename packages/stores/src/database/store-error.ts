import * as Sqlite from "./sqlite.ts";

const storeErrorCodes =
  /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|INTERRUPT|IOERR|LOCKED|NOMEM|NOTADB|PERM|PROTOCOL|READONLY)/;

/** Whether the database itself has an error, and not the item: then every other item would fail as well. */
export function isStoreError(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && storeErrorCodes.test(error.code);
}
