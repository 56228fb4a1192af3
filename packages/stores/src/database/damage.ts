import { statSync } from "node:fs";
import { explainStoreError } from "./explain-store-fault.ts";
import { migrate } from "./migrate.ts";
import * as Sqlite from "./sqlite.ts";

/** A database of this size is read completely in about a second. */
const smallBytes = 256 * 1024 * 1024;

/**
 * Refuses a damaged database with a message that names the file. It reads everything if the file is small or
 * `isThorough`. Of a large database it reads only the schema and both ends of every table, which takes milliseconds.
 */
export async function assertUndamaged(
  connection: Sqlite.Database,
  file: string,
  isThorough = false,
): Promise<void> {
  const expected = expectedSchema();
  try {
    const found = new Set(schemaOf(connection).map(({ name }) => name));
    const missing = expected.filter(({ name }) => !found.has(name)).map(({ name }) => name);
    if (missing.length > 0) throw damage(`without ${missing.join(", ")}`);
    for (const { type, name } of expected) if (type === "table") readEnds(connection, name);
    if (isThorough || statSync(file).size <= smallBytes) readAll(connection);
  } catch (error) {
    throw explainStoreError(error, file);
  }
}

interface SchemaRow {
  type: string;
  name: string;
}

/** The schema that the migrations create, in memory. */
function expectedSchema(): SchemaRow[] {
  const connection = new Sqlite.Database(":memory:");
  try {
    migrate(connection);
    return schemaOf(connection);
  } finally {
    connection.close();
  }
}

function schemaOf(connection: Sqlite.Database): SchemaRow[] {
  return connection
    .prepare<[], SchemaRow>("select type, name from sqlite_schema where type in ('table', 'index')")
    .all();
}

function readEnds(connection: Sqlite.Database, table: string): void {
  const isWithoutRowid = connection
    .prepare<[string], number>("select wr from pragma_table_list where name = ?")
    .pluck()
    .get(table);
  // A table without row ids is in the order of its key, which is its first column.
  const column = isWithoutRowid === 1 ? "1" : "rowid";
  for (const order of ["asc", "desc"]) {
    connection.prepare(`select * from "${table}" order by ${column} ${order} limit 1`).get();
  }
}

function readAll(connection: Sqlite.Database): void {
  const [fault] = connection.prepare<[], { quick_check: string }>("pragma quick_check(1)").all();
  if (fault !== undefined && fault.quick_check !== "ok")
    throw damage(fault.quick_check.replaceAll(/\s+/g, " "));
}

/** Whether an error says that the file is damaged, also when it was explained. */
export function isDamage(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(cause.code);
}

function damage(what: string): Error {
  return new Sqlite.SqliteError(what, "SQLITE_CORRUPT");
}
