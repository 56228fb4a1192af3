import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { Kysely } from "kysely";
import { explainStoreError } from "./explain-store-fault.ts";
import { migrate } from "./migrate.ts";
import type { Database } from "./schema.ts";
import { createSqliteDialect } from "./sqlite-dialect.ts";

export interface OpenDatabase {
  /** Queries that PostgreSQL understands too. */
  db: Kysely<Database>;
  /** The connection itself, for bulk paths and the few statements on the hot path. */
  connection: Sqlite.Database;
  close(): Promise<void>;
}

/** How long a writer waits for another process's transaction before it fails. */
const busyTimeoutMs = 10_000;
const busyPauseMs = 5;

/** 32 MB: an import changes the same pages of an index again and again, and each goes to the store once a checkpoint. */
const checkpointPages = 8000;

/** The file that holds everything but the indexes. */
export function storeFile(dataDir: string): string {
  return join(dataDir, "store.sqlite");
}

/** Opens the store in `dataDir`, made and migrated when needed. Any number of processes and threads may. */
export async function openDatabase(dataDir: string): Promise<OpenDatabase> {
  assertWritable(dataDir);
  const file = storeFile(dataDir);
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file);
    return await prepare(connection);
  } catch (error) {
    connection?.close();
    throw explainStoreError(error, file);
  }
}

async function prepare(connection: Sqlite.Database): Promise<OpenDatabase> {
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  await useWriteAheadLog(connection);
  connection.pragma("synchronous = FULL");
  connection.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  connection.pragma("foreign_keys = ON");
  connection.pragma("cache_size = -16000");
  connection.pragma("mmap_size = 268435456");
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) });
  await migrate(db, connection);
  return {
    db,
    connection,
    async close() {
      await db.destroy();
      // Kysely closes only a connection that it has used.
      connection.close();
    },
  };
}

/**
 * Two processes that make a new store at once: for the change of the journal's kind SQLite reports a lock at once, without
 * the busy timeout.
 */
async function useWriteAheadLog(connection: Sqlite.Database): Promise<void> {
  const latestMs = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      connection.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      const isBusy = error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
      if (!isBusy || performance.now() > latestMs) throw error;
      await sleep(busyPauseMs);
    }
  }
}

function assertWritable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `DATA_DIR "${dataDir}" cannot be written: choose a folder that this user may write to, or mend its permissions.`,
      { cause },
    );
  }
}
