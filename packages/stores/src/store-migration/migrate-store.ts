import { createHash, randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { lastChange } from "../database/postgres/number-changes.ts";
import type { Database } from "../database/schema.ts";
import type * as Sqlite from "../database/sqlite.ts";

export interface MigrationSettings {
  /** A separate connection, because one transaction reads from it all the time. */
  connection: Sqlite.Database;
  db: Kysely<Database>;
  onProgress(progress: MigrationProgress): void;
}

export interface MigrationProgress {
  step: "cleaning" | "copying" | "verifying";
  table: string;
  done: number;
  /** Of all tables. */
  total: number;
}

export interface MigratedResult {
  tables: { name: string; rows: number; checksum: string; written: number }[];
  /** Rows that were written because they were missing or different; 0 if there were none. */
  written: number;
}

/** On both sides. In PostgreSQL, nodes remove its row: from then on the database must not be overwritten. */
const createOriginTable =
  "create table if not exists store_migration (slot integer primary key check (slot = 1), origin text not null)";

/**
 * Copies a consistent state of the database, and compares it with PostgreSQL row by row. The database may be in use:
 * later changes are copied by the next run. Rows of an interrupted run stay, and are compared by the next one.
 */
export async function migrateStore({
  connection,
  db,
  onProgress,
}: MigrationSettings): Promise<MigratedResult> {
  const origin = originOf(connection);
  connection.exec("begin");
  try {
    assertNoSealedImport(connection);
    await assertOwnTarget(db, origin);
    const total = countRows(connection);
    const report = (step: MigrationProgress["step"]) => {
      let done = 0;
      return (table: string) => (rows: number) => {
        done += rows;
        onProgress({ step, table, done, total });
      };
    };
    const [onCleaned, onCopied, onVerified] = [report("cleaning"), report("copying"), report("verifying")];
    for (const table of migratedTables.toReversed())
      await removeExtra({ connection, db, table, onBatch: onCleaned(table.name) });
    const copied = await syncAll({ connection, db }, "write", onCopied);
    await copyPositions(connection, db);
    const verified = await syncAll({ connection, db }, "compare", onVerified);
    await assertSame(connection, db, verified);
    const tables = [...verified].map(([{ name }, { rows, checksum }], index) => ({
      name,
      rows,
      checksum,
      written: [...copied.values()][index]?.written ?? 0,
    }));
    return { tables, written: tables.reduce((sum, { written }) => sum + written, 0) };
  } finally {
    connection.exec("rollback");
  }
}

async function syncAll(
  databases: Pick<MigrationSettings, "connection" | "db">,
  mode: "write" | "compare",
  onBatch: (table: string) => (rows: number) => void,
): Promise<Map<MigratedTable, TableSync>> {
  const results = new Map<MigratedTable, TableSync>();
  for (const table of migratedTables) {
    results.set(table, await syncTable({ ...databases, table, mode, onBatch: onBatch(table.name) }));
  }
  return results;
}

function assertNoSealedImport(connection: Sqlite.Database): void {
  const sealed = connection.prepare("select label from imports where staging_file is not null").get();
  if (sealed === undefined) return;
  throw new Error(
    "An import was read whole and is not finished: its products would be lost. Let the service or `pnpm api import` finish it, then run this again.",
  );
}

/** A database that has its own data, or that nodes already use, must not be overwritten. */
async function assertOwnTarget(db: Kysely<Database>, origin: string): Promise<void> {
  await sql.raw(createOriginTable).execute(db);
  const kept = await sql<{ origin: string }>`select origin from store_migration`.execute(db);
  if (kept.rows[0]?.origin === origin) return;
  const used = await sql<{ isUsed: boolean }>`
    select exists (select from products) or exists (select from accounts) or exists (select from images) as "isUsed"`.execute(
    db,
  );
  if (kept.rows.length > 0 || used.rows[0]?.isUsed) {
    throw new Error(
      "The database is not empty, and what it has was not copied from this store, or nodes have worked on it since. Create an empty database (createdb) and copy into that.",
    );
  }
  await sql`insert into store_migration (slot, origin) values (1, ${origin})`.execute(db);
}

/** Identifies the SQLite store, whatever rows it has. The first run gives it a random one. */
function originOf(connection: Sqlite.Database): string {
  connection.exec(createOriginTable);
  const random = randomUUID();
  const keepOrAdd = connection.prepare<[string], string>(
    `insert into store_migration (slot, origin) values (1, ?)
     on conflict (slot) do update set origin = store_migration.origin returning origin`,
  );
  return keepOrAdd.pluck().get(random) ?? random;
}

function countRows(connection: Sqlite.Database): number {
  return migratedTables.reduce((sum, { name }) => {
    return sum + (connection.prepare<[], number>(`select count(*) from "${name}"`).pluck().get() ?? 0);
  }, 0);
}

/** Counters of row ids, so that PostgreSQL continues after the last ones of SQLite. */
async function copyPositions(connection: Sqlite.Database, db: Kysely<Database>): Promise<void> {
  const given = connection
    .prepare<[string], number>("select seq from sqlite_sequence where name = ?")
    .pluck();
  for (const { name, serial } of migratedTables) {
    const last = given.get(name) ?? 0;
    if (serial !== undefined && last > 0)
      await sql`select setval(pg_get_serial_sequence(${name}, ${serial}), ${last})`.execute(db);
  }
  for (const log of ["changes", "vector_changes"] as const) {
    const last = given.get(log) ?? 0;
    await sql`update change_counters set last = ${last} where log = ${log}`.execute(db);
    if (last > 0) {
      await sql`insert into change_marks (log, sequence, mark) values (${log}, ${last}, ${randomUUID()})
        on conflict do nothing`.execute(db);
    }
  }
  await sql`update pictures_noted set sequence = ${notedSequence(connection)}`.execute(db);
}

function notedSequence(connection: Sqlite.Database): number {
  return connection.prepare<[], number>("select sequence from pictures_noted").pluck().get() ?? 0;
}

async function assertSame(
  connection: Sqlite.Database,
  db: Kysely<Database>,
  verified: ReadonlyMap<MigratedTable, TableSync>,
): Promise<void> {
  for (const [{ name }, { rows, written: differing }] of verified) {
    const counted = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(db);
    if (differing === 0 && counted.rows[0]?.rows === rows) continue;
    throw new Error(
      `${name} is not the same on both sides: ${rows} rows in SQLite, ${counted.rows[0]?.rows} in PostgreSQL, of which ${differing} differ. ` +
        "Does something else write to the database? Run this again.",
    );
  }
  const noted = await sql<{ sequence: number }>`select sequence from pictures_noted`.execute(db);
  const isSameNoted = noted.rows[0]?.sequence === notedSequence(connection);
  const given = connection
    .prepare<[], number>("select seq from sqlite_sequence where name = 'changes'")
    .pluck();
  if (!isSameNoted || (await lastChange(db, "changes")) !== (given.get() ?? 0))
    throw new Error("The positions of the change logs are not the same on both sides. Run this again.");
}

/** Small enough for a transaction of some ten milliseconds. */
const batchSize = 500;
const keysInBatch = 5000;

interface TableSync {
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
async function syncTable(settings: TableSyncSettings): Promise<TableSync> {
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
async function removeExtra({ connection, db, table, onBatch }: TableSettings): Promise<void> {
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

/** One value of a row; both databases return these. */
type Cell = string | number | Uint8Array | null;
type Row = Record<string, Cell>;

interface MigratedTable {
  name: string;
  /** The columns that identify and order the rows. */
  key: readonly [string, ...string[]];
  /** Gives the numbers of the rows. */
  serial?: string;
  /** Append-only: PostgreSQL refuses every change. */
  isAppendOnly?: boolean;
  /** Converts a value; without it, the value is unchanged. */
  replaced?: Readonly<Record<string, Cell>>;
}

/**
 * Tables come after those that they refer to. The tables of workers and of the import lease are left out: workers end
 * with the service, and a sealed import must be finished first.
 */
export const migratedTables: readonly MigratedTable[] = [
  { name: "accounts", key: ["id"] },
  { name: "tokens", key: ["id"] },
  { name: "people", key: ["id"] },
  { name: "idempotency", key: ["account_id", "operation", "key"] },
  { name: "secrets", key: ["name"] },
  { name: "audit_log", key: ["row_id"], serial: "row_id", isAppendOnly: true },
  { name: "audit_addresses", key: ["row_id"] },
  { name: "products", key: ["row_id"], serial: "row_id" },
  { name: "written_products", key: ["product_id"] },
  { name: "search_hours", key: ["hour"] },
  { name: "query_hours", key: ["query", "hour"] },
  { name: "query_clicks", key: ["query", "day", "product_id"] },
  { name: "product_events", key: ["day", "product_id"] },
  { name: "event_keys", key: ["key"] },
  { name: "order_products", key: ["order_key", "product_id"] },
  { name: "product_pairs", key: ["product_id", "other_id"] },
  { name: "price_history", key: ["id"], serial: "id" },
  { name: "changes", key: ["product_row_id"] },
  { name: "feeds", key: ["source", "url"] },
  { name: "feed_pulls", key: ["source", "url"] },
  { name: "column_maps", key: ["source"] },
  { name: "marketplace_requests", key: ["marketplace", "hour"] },
  { name: "webhooks", key: ["row_id"], serial: "row_id" },
  { name: "webhook_former_keys", key: ["row_id"], serial: "row_id" },
  { name: "webhook_products", key: ["product_id", "webhook_row_id"] },
  { name: "webhook_events", key: ["row_id"], serial: "row_id" },
  // No worker attempts it after the service has moved.
  { name: "deliveries", key: ["row_id"], serial: "row_id", replaced: { worker: null } },
  { name: "delivery_attempts", key: ["delivery_row_id", "number"] },
  { name: "dead_letters", key: ["row_id"], serial: "row_id" },
  { name: "synonyms", key: ["slot"] },
  { name: "rules", key: ["id"] },
  { name: "rules_version", key: ["slot"] },
  { name: "rule_history", key: ["rule_id", "number"] },
  { name: "store_currency", key: ["slot"] },
  { name: "images", key: ["slug"] },
  { name: "pictures", key: ["id"], serial: "id" },
  { name: "product_pictures", key: ["product_row_id", "picture_id"] },
  { name: "picture_vectors", key: ["picture_id", "model"] },
  { name: "vector_changes", key: ["product_row_id"] },
];

/** The tables that are not in `migratedTables`; the comments there and below say why. */
export const otherTables: readonly string[] = [
  "delivery_workers",
  "imports",
  // One row without a key, which is copied separately.
  "pictures_noted",
];
