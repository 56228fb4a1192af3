import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { lastChange } from "../database/postgres/number-changes.ts";
import type { Database } from "../database/schema.ts";
import type * as Sqlite from "../database/sqlite.ts";
import { removeExtra, syncTable, type TableSync } from "./migrate-table.ts";
import { type MigratedTable, migratedTables } from "./migrated-tables.ts";

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
