import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductSource } from "@product-search/core/domain/product.ts";
import {
  type StagedRow,
  type StagingArea,
  StagingDamaged,
  type StagingFile,
} from "@product-search/core/ports/imports.ts";
import { isProcessGone, machine } from "../database/machine-processes.ts";
import * as Sqlite from "../database/sqlite.ts";
import { mayRepeat, sortRows } from "./sort-rows.ts";

const readBatchSize = 500;

/** Some milliseconds of the thread. */
const countBatchSize = 20_000;

/** True if a table or an index is missing. */
const damage = /^SQLITE_(CORRUPT|NOTADB|ERROR)/;

const rowsInTransaction = 2000;
/** Then the size of the file tells what is staged. */
const bytesInTransaction = 4 * 1024 ** 2;

/** So few rows are sorted without a thread of their own, which takes 45 ms to start. It blocks this thread for 0.2 s at most. */
const rowsSortedHere = 50_000;

/** Files of former releases have another layout. They are not opened any more, only removed. */
const suffix = ".rows";
const anySuffix = /\.(?:rows|staged|staging)(?:-journal|\.part)?$/;

/** The process that makes a file writes to it, or renews its time, at least this often while the file is open. */
const touchEveryMs = 60_000;
/** So old is a file that nobody uses. Processes of another machine or container cannot be seen. */
const unusedAfterMs = 15 * 60_000;

/** Names the process that makes a file, in the name of the file. */
const processTag = `${createHash("sha256").update(machine).digest("hex").slice(0, 12)}-${process.pid}`;

/** Whether a process of this machine made the file and is gone. */
function isOfDeadProcess(name: string): boolean {
  const [, made, pid] = /\.([0-9a-f]{12})-(\d+)\./.exec(name) ?? [];
  return made !== undefined && processTag.startsWith(`${made}-`) && isProcessGone(Number(pid));
}

/**
 * Staging files are SQLite files in `folder`, with the rows of the feed, the identifiers of refused rows and, at the
 * end, indexes of the identifiers, which SQLite sorts on disk. Until a file is sealed it is not durable: a file that
 * a crash left incomplete is removed. Several processes stage feeds in one folder at the same time.
 */
export function createSqliteStagingArea(folder: string, isLeft = isOfDeadProcess): StagingArea {
  const fileOf = (name: string) => join(folder, name);
  const isUnused = async (name: string) => {
    if (isLeft(name)) return true;
    const found = await stat(fileOf(name)).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > unusedAfterMs;
  };
  return {
    async create(source: ProductSource) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${source}.${processTag}.${randomUUID()}${suffix}`;
      const connection = openUnsealed(fileOf(name));
      connection.exec(
        `create table staged (position integer primary key, id text not null, input text not null);
         create table refused (id text not null)`,
      );
      return createFile(name, fileOf(name), folder, connection);
    },
    async open(name) {
      if (!name.endsWith(suffix) || !existsSync(fileOf(name))) return undefined;
      return createFile(name, fileOf(name), folder, openSealed(fileOf(name)));
    },
    async usedBytes() {
      const names = (await readdir(folder).catch((): string[] => [])).filter((name) => anySuffix.test(name));
      const sizes = await Promise.all(
        names.map((name) =>
          stat(fileOf(name)).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    async remove(name) {
      await rm(fileOf(name), { force: true });
    },
    async clear(sealedFiles) {
      const names = (await readdir(folder).catch((): string[] => [])).filter((name) => anySuffix.test(name));
      const unused = await Promise.all(names.map(isUnused));
      const stale = names.filter((_, at) => unused[at]);
      if (stale.length === 0) return;
      // Asked only now: a process that has died since cannot seal another one.
      const kept = new Set(await sealedFiles());
      const removed = stale.filter((name) => !kept.has(name.replace(/(?<=\.rows)(?:-journal|\.part)$/, "")));
      await Promise.all(removed.map((name) => rm(fileOf(name), { force: true })));
    },
  };
}

function createFile(name: string, file: string, folder: string, opened: Sqlite.Database): StagingFile {
  let connection = opened;
  const size = { rows: 0, bytes: 0 };
  let writes = connection.readonly ? undefined : prepareWrites(connection, size);
  let reader: RowReader | undefined;
  const touching = setInterval(() => {
    const now = new Date();
    // A file that was removed meanwhile is noticed when it is used.
    void utimes(file, now, now).catch(() => {});
  }, touchEveryMs).unref();
  const read = () => {
    reader ??= reportDamage(() => createRowReader(connection));
    return reader;
  };
  const writer = () => {
    if (writes === undefined) throw new Error("A sealed staging file takes no more rows.");
    return writes;
  };
  return {
    name,
    add: (change) => writer().add(productId(change.source, change.key), JSON.stringify(change)),
    size: () => size,
    addSeen: (source, key) => writer().refuse(productId(source, key)),
    async seal(signal) {
      writer().flush();
      writes = undefined;
      const { rows } = size;
      if (rows <= rowsSortedHere) sortRows(connection);
      connection.close();
      if (rows > rowsSortedHere) await sortInThread(file);
      signal.throwIfAborted();
      await sync(file);
      await sync(folder);
      connection = openSealed(file);
    },
    share: async () => {},
    countAfter: async (position) => read().countAfter(position),
    rowsAfter: (position) => read().rowsAfter(position),
    has: (source, key) => read().has(productId(source, key)),
    close() {
      clearInterval(touching);
      connection.close();
    },
  };
}

function openSealed(file: string): Sqlite.Database {
  return new Sqlite.Database(file, { readonly: true, fileMustExist: true });
}

function prepareWrites(connection: Sqlite.Database, size: { rows: number; bytes: number }) {
  const addRow = connection.prepare<[string, string]>("insert into staged (id, input) values (?, ?)");
  const addRefused = connection.prepare<[string]>("insert into refused (id) values (?)");
  let pending = 0;
  let pendingBytes = 0;
  const begin = (bytes: number) => {
    if (pending === 0) connection.exec("begin");
    pending += 1;
    pendingBytes += bytes;
    size.rows += 1;
    size.bytes += bytes;
  };
  const flush = () => {
    if (connection.inTransaction) connection.exec("commit");
    pending = 0;
    pendingBytes = 0;
  };
  const flushIfMany = () => {
    if (pending === rowsInTransaction || pendingBytes >= bytesInTransaction) flush();
  };
  return {
    add(id: string, input: string) {
      begin(Buffer.byteLength(input));
      addRow.run(id, input);
      flushIfMany();
    },
    refuse(id: string) {
      begin(id.length);
      addRefused.run(id);
      flushIfMany();
    },
    flush,
  };
}

/**
 * Sorting takes seconds for a million rows. In a thread of its own it does not stop the renewal of leases. Bundled, its
 * file is beside this code.
 */
async function sortInThread(file: string): Promise<void> {
  const entry = import.meta.url.endsWith(".ts") ? "./sort-thread.ts" : "./sort-thread.js";
  const worker = new Worker(new URL(entry, import.meta.url), { workerData: file, name: "sort" });
  // An error of the thread rejects this.
  await once(worker, "exit");
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

interface RowReader {
  rowsAfter(position: number): Generator<StagedRow>;
  countAfter(position: number): Promise<number>;
  has(id: string): boolean;
}

/** Reads a sealed staging file. */
function createRowReader(connection: Sqlite.Database): RowReader {
  const idAt = connection.prepare<[number], { id: string }>("select id from staged where position = ?");
  const hasRepeats = mayRepeat(connection);
  const isLast = hasRepeats
    ? "not exists (select 1 from staged later where later.id = staged.id and later.position > staged.position)"
    : "true";
  const rows = connection.prepare<[string, number], { id: string; position: number; input: string }>(
    `select id, position, input from staged where id > (select ?) and ${isLast} order by id limit (select ?)`,
  );
  // Takes 12 ms for a million rows: SQLite only adds up how many each page of the index has.
  const countAll = connection.prepare<[], { products: number }>("select count(*) as products from staged");
  const count = connection.prepare<[string, number], { products: number; lastId: string | null }>(
    `select count(distinct id) as products, max(id) as lastId
     from (select id from staged where id > (select ?) order by id limit (select ?))`,
  );
  const seen = connection.prepare<[{ id: string }], unknown>(
    `select 1 where exists (select 1 from staged where id = (select @id))
                          or exists (select 1 from refused where id = (select @id))`,
  );
  /** Undefined for a position after all rows. */
  const startOf = (position: number) => (position === 0 ? "" : idAt.get(position)?.id);

  const readPage = (after: string) => {
    const page = rows.all(after, readBatchSize);
    const staged = page.map(({ position, input }): StagedRow => ({ position, change: JSON.parse(input) }));
    return { staged, lastId: page.at(-1)?.id };
  };

  return {
    *rowsAfter(from) {
      for (let after = reportDamage(() => startOf(from)); after !== undefined; ) {
        const start = after;
        const { staged, lastId } = reportDamage(() => readPage(start));
        yield* staged;
        after = lastId;
      }
    },
    async countAfter(position) {
      if (position === 0 && !hasRepeats) return reportDamage(() => countAll.get())?.products ?? 0;
      let products = 0;
      for (let after = reportDamage(() => startOf(position)); after !== undefined; ) {
        const start = after;
        const counted = reportDamage(() => count.get(start, countBatchSize));
        products += counted?.products ?? 0;
        after = counted?.lastId ?? undefined;
        // Leases must be renewed meanwhile.
        await setImmediate();
      }
      return products;
    },
    has: (id) => reportDamage(() => seen.get({ id }) !== undefined),
  };
}

function reportDamage<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    const isDamaged =
      cause instanceof SyntaxError || (cause instanceof Sqlite.SqliteError && damage.test(cause.code));
    throw isDamaged ? new StagingDamaged("The staging file is damaged.", { cause }) : cause;
  }
}

/** For one writer at a time. Nothing is durable until the file is sealed. */
export function openUnsealed(file: string): Sqlite.Database {
  const connection = new Sqlite.Database(file);
  connection.pragma("journal_mode = OFF");
  connection.pragma("synchronous = OFF");
  connection.pragma("locking_mode = EXCLUSIVE");
  connection.pragma("temp_store = FILE");
  return connection;
}
