import { accessSync, constants, type FSWatcher, mkdirSync, statSync, watch as watchFile } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import { isDiskFull } from "@product-search/core/ports/imports.ts";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import { removeSpareFile } from "./disk-space.ts";
import { explainStoreError } from "./explain-store-fault.ts";
import { migrate } from "./migrate.ts";
import type { Database } from "./schema.ts";
import * as Sqlite from "./sqlite.ts";

export interface OpenDatabase {
  /** For queries that PostgreSQL supports as well. */
  db: Kysely<Database>;
  /** The connection itself, for bulk operations and the few statements on the hot path. */
  connection: Sqlite.Database;
  /** For one follower each. */
  untilChange(): UntilChange;
  /** Copies the log to the database when it is long, until the signal. */
  keepLogShort(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** How long a writer waits for another transaction before it fails. */
const busyTimeoutMs = 10_000;
const busyPauseMs = 5;

/** 32 MB: an import changes the same index pages again and again, and each is written once per checkpoint. */
const checkpointPages = 8000;
const checkpointEveryMs = 250;

/** The file with all data except the indexes. */
export function storeFile(dataDir: string): string {
  return join(dataDir, "store.sqlite");
}

export interface OpenOptions {
  /** Refuse to create a database: for what only reads, or only changes what is there already. */
  mustExist?: boolean;
  /**
   * For threads that must not be occupied for a tenth of a second: others copy the log to the database, with `keepLogShort`.
   */
  leavesCheckpoints?: boolean;
  /**
   * For parts that mostly read products in their order. The file is not mapped into memory: that would save them a hundredth
   * of their time, and the pages that they read count once more as memory of the process.
   */
  readsInOrder?: boolean;
}

/** Reading random products takes a fifth less time than with pages that are copied. */
const mappedBytes = 268_435_456;

/**
 * Opens the database in `dataDir`; creates and migrates it if needed. Any number of processes and threads may do so.
 */
export async function openDatabase(
  dataDir: string,
  { mustExist = false, leavesCheckpoints = false, readsInOrder = false }: OpenOptions = {},
): Promise<OpenDatabase> {
  const file = storeFile(dataDir);
  if (mustExist) assertExists(dataDir, file);
  assertWritable(dataDir);
  for (;;) {
    let connection: Sqlite.Database | undefined;
    try {
      connection = new Sqlite.Database(file, { timeout: busyTimeoutMs, flush: (log) => log.datasync() });
      connection.pragma(`mmap_size = ${readsInOrder ? 0 : mappedBytes}`);
      return await prepare(connection, leavesCheckpoints ? 0 : checkpointPages);
    } catch (error) {
      connection?.close();
      // On a full disk, this space is enough to read the store. It is used up once: then the error is passed on.
      if (isDiskFull(error) && removeSpareFile(dataDir)) continue;
      throw explainStoreError(error, file);
    }
  }
}

/** Empty, for tests: nothing on the disk. */
export function openMemoryDatabase(): Promise<OpenDatabase> {
  return openDatabaseFile(":memory:");
}

/** One connection to a database outside a `DATA_DIR`, whose commits do not wait for the disk. */
export async function openDatabaseFile(file: string): Promise<OpenDatabase> {
  const connection = new Sqlite.Database(file, { timeout: busyTimeoutMs });
  try {
    const database = await prepare(connection, checkpointPages);
    connection.pragma("synchronous = NORMAL");
    return database;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function prepare(connection: Sqlite.Database, checkpointAfter: number): Promise<OpenDatabase> {
  await useWriteAheadLog(connection);
  connection.pragma("synchronous = FULL");
  connection.pragma(`wal_autocheckpoint = ${checkpointAfter}`);
  connection.pragma("foreign_keys = ON");
  connection.pragma("cache_size = -16000");
  const db = new Kysely<Database>({ dialect: createSqliteDialect(connection) });
  migrate(connection);
  const changes = createSqliteChanges(connection);
  return {
    db,
    connection,
    untilChange: changes.untilChange,
    keepLogShort: (signal) => keepLogShort(connection, changes.untilChange(), signal),
    async close() {
      changes.close();
      await db.destroy();
      // Kysely only closes a connection that it has used.
      connection.close();
    },
  };
}

async function keepLogShort(
  connection: Sqlite.Database,
  untilChange: UntilChange,
  signal: AbortSignal,
): Promise<void> {
  const frames = connection.prepare<[], { log: number; checkpointed: number }>("pragma wal_checkpoint(NOOP)");
  while (!signal.aborted) {
    try {
      const { log, checkpointed } = frames.get() ?? { log: 0, checkpointed: 0 };
      // Readers and writers go on meanwhile.
      if (log - checkpointed >= checkpointPages) connection.pragma("wal_checkpoint(PASSIVE)");
    } catch {
      // The disk is full, or fails: the next write reports that, and after it this is tried again.
    }
    await untilChange(checkpointEveryMs, signal);
  }
}

/**
 * Two processes may create a database at the same time. For a change of the journal mode, SQLite reports a lock at
 * once, without the busy timeout.
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

/** A file without content is no store: SQLite takes it as an empty database. Other faults are explained when it is opened. */
function assertExists(dataDir: string, file: string): void {
  try {
    if (statSync(file).size > 0) return;
  } catch (error) {
    const isAbsent =
      error instanceof Error && "code" in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code));
    if (!isAbsent) return;
  }
  throw new Error(
    `There is no store in DATA_DIR "${dataDir}", and this command creates none: set DATA_DIR to the folder of the service. ` +
      "`pnpm api serve` and `pnpm api import` create a store.",
  );
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

/**
 * Transactions take the write lock when they begin: a transaction that reads first fails on its first write if
 * another one has written in between.
 *
 * Several parts of the service share a thread, each with a connection. A write on one of them would block the thread
 * while a transaction of another is open, and so the transaction too: it would fail with "database is locked". So a
 * transaction begins with an empty queue of microtasks: its queries need nothing else, and no other part runs between.
 */
function createSqliteDialect(connection: Sqlite.Database): SqliteDialect {
  class TolerantDriver extends SqliteDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      const acquired = await super.acquireConnection();
      return {
        streamQuery: (query, chunkSize) => acquired.streamQuery(query, chunkSize),
        executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
          const execute = (): Promise<QueryResult<Row>> => {
            const result = acquired.executeQuery<Row>(query);
            // Whoever asked hears of it after the flush.
            result.catch(() => {});
            return result;
          };
          if (connection.inTransaction || onlyReads(query)) return execute();
          return connection.transaction(execute).soon();
        },
      };
    }
    override async beginTransaction(): Promise<void> {
      await setImmediate();
      await connection.beginSoon();
    }
    override commitTransaction(): Promise<void> {
      return connection.commitSoon();
    }
    override async rollbackTransaction(): Promise<void> {
      connection.rollback();
    }
  }
  class TolerantDialect extends SqliteDialect {
    override createDriver(): Driver {
      return new TolerantDriver({ database: connection });
    }
  }
  return new TolerantDialect({ database: connection });
}

function onlyReads({ query, sql }: CompiledQuery): boolean {
  return query.kind === "SelectQueryNode" || (query.kind === "RawNode" && /^\s*select\b/i.test(sql));
}

/** In case the system does not report a write. */
const maxRestMs = 10_000;
/** Where the system cannot watch a file. */
const askEveryMs = 100;
/** No commit takes longer, from its first write to the log until others see it. */
const maxCommitMs = 1000;

export interface SqliteChanges {
  untilChange(): UntilChange;
  close(): void;
}

/**
 * Asking the database ten times a second costs an idle service more than anything else it does: waking up alone takes some 0.2 ms.
 * So the system reports when the write-ahead log is written, and only then is the database asked.
 */
export function createSqliteChanges(connection: Sqlite.Database): SqliteChanges {
  // The first number counts the commits of other connections, the second what this one has changed.
  const version = connection
    .prepare<[], string>("select data_version || ' ' || total_changes() from pragma_data_version")
    .pluck();
  const wakeups = new Set<() => void>();
  let watcher: FSWatcher | undefined;
  let writtenAtMs = Number.NEGATIVE_INFINITY;

  const onWrite = () => {
    writtenAtMs = performance.now();
    for (const wake of wakeups) wake();
  };

  /** Without a watcher, as where the system watches no more files, the database is asked. */
  const watch = () => {
    if (watcher !== undefined) return;
    try {
      watcher = watchFile(`${connection.name}-wal`, { persistent: false }, onWrite);
    } catch {
      return;
    }
    watcher.on("error", () => {
      watcher?.close();
      watcher = undefined;
    });
  };

  const isBeingWritten = () => performance.now() - writtenAtMs < maxCommitMs;

  /** Until the log is written, or a commit that is being written may be seen, or for this time. */
  const rest = async (ms: number, signal: AbortSignal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const sinceMs = performance.now() - writtenAtMs;
    const timer = setTimeout(wake, isBeingWritten() ? Math.min(ms, Math.max(1, sinceMs)) : ms);
    wakeups.add(wake);
    signal.addEventListener("abort", wake);
    await promise;
    signal.removeEventListener("abort", wake);
    wakeups.delete(wake);
    clearTimeout(timer);
  };

  return {
    untilChange() {
      watch();
      let seen = version.get();
      return async (ms, signal, restMs = maxRestMs) => {
        const calledAtMs = performance.now();
        const earliestMs = calledAtMs + ms;
        // All that rest in a thread end at the same time, so that it wakes up once.
        const restedMs = Math.ceil(calledAtMs / restMs) * restMs;
        const latestMs = Math.max(earliestMs, watcher === undefined ? calledAtMs + askEveryMs : restedMs);
        while (!signal.aborted) {
          const leftMs = latestMs - performance.now();
          const tooEarlyMs = earliestMs - performance.now();
          const hasChanged = version.get() !== seen;
          if (tooEarlyMs > 0 && (hasChanged || isBeingWritten())) await pause(tooEarlyMs, signal);
          else if (hasChanged || leftMs <= 0) break;
          else await rest(leftMs, signal);
        }
        if (!signal.aborted) seen = version.get();
      };
    },
    close: () => watcher?.close(),
  };
}
