import { retry } from "@product-search/core/mechanisms/retry.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";
import { isDeadlock, isLockTimeout } from "./errors.ts";
import { postgresTables } from "./postgres-tables.ts";

export interface PostgresMigration {
  /**
   * The oldest program version, a number of migrations, that runs on the tables after this one. Raise it only when something
   * is taken away, a release after the last one that used it: nodes of two releases run on the same tables during an upgrade.
   */
  needs: number;
  statements: string;
}

/** In the order they run. After the first release, what is in here is never edited: a later one mends it. */
export const migrations: readonly PostgresMigration[] = [{ needs: 1, statements: postgresTables }];

/** Any number that is the same on all nodes; its start is "product search" in ASCII. */
export const migrationLock = 0x70726f64;

/**
 * PostgreSQL looks for deadlocks after a second. A migration that waits less for a table gives way to the transactions of
 * running nodes, so that none of theirs is ended.
 */
const lockTimeoutMs = 300;
const pauseMs = 200;
const maxAttempts = 200;

interface Version {
  version: number;
  /** The oldest program version that can still run on these tables. */
  needs: number;
}

/**
 * Migrates the tables to the version of this program. Nodes that start together wait for the one that migrates.
 * Tables that a newer release has extended are used; only tables without something that this release needs are
 * refused.
 */
export async function migratePostgres(db: Kysely<Database>, steps = migrations): Promise<void> {
  if ((await readVersion(db, steps.length)) >= steps.length) return;
  await retry(() => migrateOnce(db, steps), {
    maxAttempts,
    isWorthRetrying: (error) => isLockTimeout(error) || isDeadlock(error),
    pauseMs: () => pauseMs,
  });
}

async function migrateOnce(db: Kysely<Database>, steps: typeof migrations): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Ends with the transaction, so it also works with connection pools.
    await sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`.execute(transaction);
    const version = await readVersion(transaction, steps.length);
    if (version >= steps.length) return;
    await sql`create table if not exists store_version
      (slot integer primary key check (slot = 1), version integer not null, needs integer not null)`.execute(
      transaction,
    );
    await sql.raw(`set local lock_timeout = ${lockTimeoutMs}`).execute(transaction);
    for (const migration of steps.slice(version)) await sql.raw(migration.statements).execute(transaction);
    const needs = Math.max(...steps.map((migration) => migration.needs));
    await sql`insert into store_version (slot, version, needs) values (1, ${steps.length}, ${needs})
      on conflict (slot) do update set version = excluded.version, needs = excluded.needs`.execute(
      transaction,
    );
  });
}

export async function hasTables(db: Kysely<Database>): Promise<boolean> {
  // Not to_regclass: in a transaction that waited for another node's migration, it still knows that there was no table.
  const { rows } = await sql<{
    present: boolean;
  }>`select exists (select from pg_class where relname = 'store_version' and pg_table_is_visible(oid)) as present`.execute(
    db,
  );
  return rows[0]?.present === true;
}

async function readVersion(db: Kysely<Database>, newest: number): Promise<number> {
  if (!(await hasTables(db))) return 0;
  const stored = await sql<Version>`select version, needs from store_version`.execute(db);
  const { version, needs } = stored.rows[0] ?? { version: 0, needs: 0 };
  if (needs > newest) {
    throw new Error(
      `The database is of version ${version} and no longer has what this release needs; it serves version ${needs} and later, this is ${newest}. ` +
        "Run the newer release, or restore a backup that this one wrote.",
    );
  }
  return version;
}
