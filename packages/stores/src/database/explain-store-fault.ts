import * as Sqlite from "./sqlite.ts";

const restore =
  "Stop every process that uses it and restore it from a backup: docs/operate.md says how. `sqlite3 <file> .recover` prints what can still be read.";

/** The first match is used: the prefix of SQLite's error code, the problem, and the remedy. */
const faults: readonly [RegExp, string, string][] = [
  [/^SQLITE_NOTADB/, "is not a SQLite database, or its header is damaged", restore],
  [/^SQLITE_CORRUPT/, "is damaged", restore],
  [
    /^SQLITE_(CANTOPEN|PERM|READONLY|AUTH)/,
    "cannot be opened for writing",
    "Correct the permissions of it, of the folder, and of the files with -wal and -shm at the end of their names; see also that the process may open enough files (ulimit -n).",
  ],
  [
    /^SQLITE_(FULL|IOERR_SHM)/,
    "cannot be written: the disk is full",
    "Free space and start again: nothing is lost.",
  ],
  [
    /^SQLITE_IOERR/,
    "cannot be read or written: the file system reports an error",
    "Check the disk, and whether it is full; then start again.",
  ],
  [
    /^SQLITE_(BUSY|LOCKED)/,
    "is held by another process for too long",
    "Stop whatever else uses it (a backup, an SQLite command line) and start again.",
  ],
];

/** Adds the file and the remedy, which SQLite's message lacks. Other errors are returned unchanged. */
export function explainStoreError(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const { code, message } = error;
  const [, what, remedy] = faults.find(([codes]) => codes.test(code)) ?? [];
  if (what === undefined) return error;
  return new Error(`The database ${file} ${what} (SQLite: ${message}). ${remedy}`, { cause: error });
}
