import type Sqlite from "better-sqlite3";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import type { Cell, MigratedTable, Row } from "./migrated-tables.ts";

/** Rows after a key in the order of keys, at most the requested number, and up to another key if one is given. */
export type ReadRows = (
  after: readonly Cell[] | undefined,
  limit: number,
  upTo?: readonly Cell[],
) => Promise<Row[]>;

export function keyOf(table: MigratedTable, row: Row): Cell[] {
  return table.key.map((column) => row[column] ?? null);
}

/** In the form for PostgreSQL. */
export function readSqliteRows(
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
export function hasSqliteRow(
  connection: Sqlite.Database,
  table: MigratedTable,
): (key: readonly Cell[]) => boolean {
  const same = table.key.map((column) => `"${column}" = ?`).join(" and ");
  const find = connection.prepare<Cell[]>(`select 1 from "${table.name}" where ${same}`);
  return (key) => find.get(...key) !== undefined;
}

export function readPostgresRows(
  db: Kysely<Database>,
  table: MigratedTable,
  columns: readonly string[],
): ReadRows {
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
export function rowText(row: Row, columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => cellText(row[column] ?? null)));
}

function cellText(cell: Cell): string | number | null {
  return cell instanceof Uint8Array ? `\\x${Buffer.from(cell).toString("hex")}` : cell;
}

/** In the form that `json_populate_recordset` reads. */
export function toJson(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, cellText(cell)])),
    ),
  );
}
