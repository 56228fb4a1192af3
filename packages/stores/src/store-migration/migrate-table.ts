import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import type * as Sqlite from "../database/sqlite.ts";
import type { Cell, MigratedTable, Row } from "./migrated-tables.ts";

/** Small enough for a transaction of some ten milliseconds. */
const batchSize = 500;
const keysInBatch = 5000;

export interface TableSync {
  rows: number;
  /** Checksum of the rows in PostgreSQL, in the order of their keys. */
  checksum: string;
  /** Rows written because they were missing or different. */
  written: number;
}

export interface TableSettings {
  connection: Sqlite.Database;
  db: Kysely<Database>;
  table: MigratedTable;
  onBatch(rows: number): void;
}

export interface TableSyncSettings extends TableSettings {
  /** Whether to write differences, or only to compare. */
  mode: "write" | "compare";
}

/**
 * Goes through a table in batches and writes those that differ. Rows of an interrupted run are compared, not written
 * again.
 */
export async function syncTable(settings: TableSyncSettings): Promise<TableSync> {
  const { connection, db, table, mode, onBatch } = settings;
  const columns = columnsOf(connection, table);
  const readSource = readSqliteRows(connection, table, columns);
  const readTarget = readPostgresRows(db, table, columns);
  const checksum = createHash("sha256");
  const result: TableSync = { rows: 0, checksum: "", written: 0 };
  for (let after: Cell[] | undefined; ; ) {
    const wanted = await readSource(after, batchSize);
    const last = wanted.at(-1);
    if (last === undefined) break;
    const upTo = keyOf(table, last);
    const differing = compare(table, columns, wanted, await readTarget(after, batchSize, upTo));
    if (mode === "write") await write(db, table, columns, differing);
    result.written += differing.length;
    result.rows += wanted.length;
    for (const row of wanted) checksum.update(rowText(row, columns)).update("\n");
    onBatch(wanted.length);
    after = upTo;
  }
  return { ...result, checksum: checksum.digest("hex") };
}

/**
 * Removes rows that the source does not have any more. Call it for all tables in reverse order, before anything is
 * written: a new row may have a value that must be unique and that one of these rows still has.
 */
export async function removeExtra({ connection, db, table, onBatch }: TableSettings): Promise<void> {
  const { name, key, isAppendOnly } = table;
  const readKeys = readPostgresRows(db, table, key);
  const isInSource = hasSqliteRow(connection, table);
  for (let after: Cell[] | undefined; ; ) {
    const keys = (await readKeys(after, keysInBatch)).map((row) => keyOf(table, row));
    const extra = keys.filter((cells) => !isInSource(cells));
    if (isAppendOnly && extra.length > 0) {
      throw new Error(
        `The database has entries in ${name} that the SQLite store does not have. Use an empty database.`,
      );
    }
    await remove(db, table, extra);
    onBatch(keys.length);
    after = keys.at(-1);
    if (after === undefined) return;
  }
}

function columnsOf(connection: Sqlite.Database, { name }: MigratedTable): string[] {
  const columns = connection
    .prepare<[string], { name: string }>("select name from pragma_table_info(?)")
    .all(name);
  return columns.map((column) => column.name).toSorted();
}

function compare(
  table: MigratedTable,
  columns: readonly string[],
  source: readonly Row[],
  target: readonly Row[],
): Row[] {
  const nameOf = (row: Row) => JSON.stringify(keyOf(table, row));
  const present = new Map(target.map((row) => [nameOf(row), row]));
  return source.filter((row) => {
    const other = present.get(nameOf(row));
    return other === undefined || rowText(other, columns) !== rowText(row, columns);
  });
}

async function remove(
  db: Kysely<Database>,
  { name, key }: MigratedTable,
  extra: readonly Cell[][],
): Promise<void> {
  if (extra.length === 0) return;
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const keys = extra.map((cells) => sql`(${sql.join(cells)})`);
  await sql`delete from ${sql.table(name)} where (${columns}) in (${sql.join(keys)})`.execute(db);
}

async function write(
  db: Kysely<Database>,
  table: MigratedTable,
  columns: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const list = sql.join(columns.map((column) => sql.ref(column)));
  const assignments = columns
    .filter((column) => !table.key.includes(column))
    .map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  const onConflict =
    table.isAppendOnly || assignments.length === 0
      ? sql`do nothing`
      : sql`(${sql.join(table.key.map((column) => sql.ref(column)))}) do update set ${sql.join(assignments)}`;
  await sql`
    insert into ${sql.table(table.name)} (${list})
    select ${list} from json_populate_recordset(null::${sql.table(table.name)}, ${toJson(rows)}::json)
    on conflict ${onConflict}`.execute(db);
}

/** Rows after a key in the order of keys, at most the requested number, and up to another key if one is given. */
type ReadRows = (after: readonly Cell[] | undefined, limit: number, upTo?: readonly Cell[]) => Promise<Row[]>;

function keyOf(table: MigratedTable, row: Row): Cell[] {
  return table.key.map((column) => row[column] ?? null);
}

/** In the form for PostgreSQL. */
function readSqliteRows(
  connection: Sqlite.Database,
  table: MigratedTable,
  columns: readonly string[],
): ReadRows {
  const list = columns.map((column) => `"${column}"`).join(", ");
  const key = table.key.map((column) => `"${column}"`).join(", ");
  const places = table.key.map(() => "?").join(", ");
  const select = (where: string) =>
    connection.prepare<Cell[], Row>(`select ${list} from "${table.name}" ${where} order by ${key} limit ?`);
  const [first, next] = [select(""), select(`where (${key}) > (${places})`)];
  return async (after, limit) => {
    const rows = after === undefined ? first.all(limit) : next.all(...after, limit);
    return rows.map((row) => ({ ...mapCells(row, storable), ...table.replaced }));
  };
}

/** Whether there is a row with a key. */
function hasSqliteRow(connection: Sqlite.Database, table: MigratedTable): (key: readonly Cell[]) => boolean {
  const same = table.key.map((column) => `"${column}" = ?`).join(" and ");
  const find = connection.prepare<Cell[]>(`select 1 from "${table.name}" where ${same}`);
  return (key) => find.get(...key) !== undefined;
}

function readPostgresRows(db: Kysely<Database>, table: MigratedTable, columns: readonly string[]): ReadRows {
  const list = sql.join(columns.map((column) => sql.ref(column)));
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  return async (after, limit, upTo) => {
    const from = after === undefined ? sql`true` : sql`(${key}) > (${sql.join([...after])})`;
    const to = upTo === undefined ? sql`true` : sql`(${key}) <= (${sql.join([...upTo])})`;
    const read = await sql<Row>`
      select ${list} from ${sql.table(table.name)} where ${from} and ${to} order by ${key} limit ${limit}`.execute(
      db,
    );
    return read.rows;
  };
}

/** PostgreSQL cannot store NUL characters. */
function storable(cell: Cell): Cell {
  return typeof cell === "string" ? cell.replaceAll("\0", "") : cell;
}

function mapCells(row: Row, change: (cell: Cell) => Cell): Row {
  return Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, change(cell)]));
}

/** The same for equal rows of both databases. */
function rowText(row: Row, columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => cellText(row[column] ?? null)));
}

function cellText(cell: Cell): string | number | null {
  return cell instanceof Uint8Array ? `\\x${Buffer.from(cell).toString("hex")}` : cell;
}

/** In the form that `json_populate_recordset` reads. */
function toJson(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, cellText(cell)])),
    ),
  );
}
