import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { productId } from "../../domain/identity.ts";
import { type StagedRow, type StagingArea, StagingDamaged, type StagingFile } from "../../ports/staging.ts";

const rowsInTransaction = 2000;
const readBatchSize = 500;

/** Files of former releases have another layout. They are not opened any more, only removed. */
const suffix = ".rows";
const anySuffix = /\.(?:rows|staged|staging)(?:-journal|\.part)?$/;

/**
 * Staging files are SQLite files in `folder`, with the rows of the feed, the identifiers of refused rows and, at the
 * end, indexes of the identifiers, which SQLite sorts on disk. Until a file is sealed it is not durable: a file that
 * a crash left incomplete is removed.
 */
export function createSqliteStagingArea(folder: string): StagingArea {
  const fileOf = (name: string) => join(folder, name);
  return {
    async create() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${randomUUID()}${suffix}`;
      const connection = new Sqlite(fileOf(name));
      connection.pragma("journal_mode = OFF");
      connection.pragma("synchronous = OFF");
      connection.pragma("locking_mode = EXCLUSIVE");
      connection.pragma("temp_store = FILE");
      connection.exec(
        `create table staged (position integer primary key, id text not null, input text not null);
         create table refused (id text not null)`,
      );
      return createFile(name, fileOf(name), folder, connection);
    },
    async open(name) {
      if (!name.endsWith(suffix) || !existsSync(fileOf(name))) return undefined;
      const connection = new Sqlite(fileOf(name), { readonly: true, fileMustExist: true });
      return createFile(name, fileOf(name), folder, connection);
    },
    async clear(exceptName) {
      const names = await readdir(folder).catch((): string[] => []);
      const stale = names.filter((name) => anySuffix.test(name) && name !== exceptName);
      await Promise.all(stale.map((name) => rm(fileOf(name), { force: true })));
    },
  };
}

function createFile(name: string, file: string, folder: string, connection: Sqlite.Database): StagingFile {
  const writes = connection.readonly ? undefined : prepareWrites(connection);
  let reads: ReturnType<typeof prepareReads> | undefined;
  const read = () => {
    reads ??= prepareReads(connection);
    return reads;
  };
  const writer = () => {
    if (writes === undefined) throw new Error("A sealed staging file takes no more rows.");
    return writes;
  };
  return {
    name,
    add: (change) => writer().add(productId(change.source, change.key), JSON.stringify(change)),
    addSeen: (source, key) => writer().refuse(productId(source, key)),
    async seal() {
      writer().flush();
      connection.exec("create index staged_id on staged (id); create index refused_id on refused (id)");
      await sync(file);
      await sync(folder);
    },
    countAfter: (position) => reportDamage(() => read().count(position)),
    rowsAfter: (position) => reportDamage(() => read().rowsAfter(position)),
    has: (source, key) => reportDamage(() => read().has(productId(source, key))),
    close: () => void connection.close(),
  };
}

function prepareWrites(connection: Sqlite.Database) {
  const addRow = connection.prepare<[string, string]>("insert into staged (id, input) values (?, ?)");
  const addRefused = connection.prepare<[string]>("insert into refused (id) values (?)");
  let pending = 0;
  const begin = () => {
    if (pending === 0) connection.exec("begin");
    pending += 1;
  };
  const flush = () => {
    if (connection.inTransaction) connection.exec("commit");
    pending = 0;
  };
  return {
    add(id: string, input: string) {
      begin();
      addRow.run(id, input);
      if (pending === rowsInTransaction) flush();
    },
    refuse(id: string) {
      begin();
      addRefused.run(id);
      if (pending === rowsInTransaction) flush();
    },
    flush,
  };
}

function prepareReads(connection: Sqlite.Database) {
  const repeats = connection.prepare("select 1 from staged group by id having count(*) > 1 limit 1").get();
  // Most feeds have each product once: then there is no later row to look for.
  const isLast =
    repeats === undefined
      ? "true"
      : "not exists (select 1 from staged later where later.id = staged.id and later.position > staged.position)";
  const idAt = connection.prepare<[number], { id: string }>("select id from staged where position = ?");
  const rows = connection.prepare<[string, number], { id: string; position: number; input: string }>(
    `select id, position, input from staged
     where id > (select ?) and ${isLast} order by id limit (select ?)`,
  );
  const count = connection.prepare<[string], { rows: number }>(
    "select count(distinct id) as rows from staged where id > (select ?)",
  );
  const seen = connection.prepare<[{ id: string }], { found: 1 }>(
    `select 1 as found where exists (select 1 from staged where id = (select @id))
                          or exists (select 1 from refused where id = (select @id))`,
  );
  /** Undefined for a position after all rows. */
  const startOf = (position: number) => (position === 0 ? "" : idAt.get(position)?.id);

  const readPage = (after: string) => {
    const page = rows.all(after, readBatchSize);
    const staged = page.map(({ position, input }): StagedRow => ({ position, change: JSON.parse(input) }));
    return { staged, lastId: page.at(-1)?.id };
  };

  function* rowsAfter(from: number): Generator<StagedRow> {
    for (let after = reportDamage(() => startOf(from)); after !== undefined; ) {
      const start = after;
      const { staged, lastId } = reportDamage(() => readPage(start));
      yield* staged;
      after = lastId;
    }
  }
  return {
    rowsAfter,
    count(position: number): number {
      const after = startOf(position);
      return after === undefined ? 0 : (count.get(after)?.rows ?? 0);
    },
    has: (id: string) => seen.get({ id }) !== undefined,
  };
}

/** True if a table or an index is missing. */
const damage = /^SQLITE_(CORRUPT|NOTADB|ERROR)/;

function reportDamage<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    const isDamaged =
      cause instanceof SyntaxError || (cause instanceof Sqlite.SqliteError && damage.test(cause.code));
    throw isDamaged ? new StagingDamaged("The staging file is damaged.", { cause }) : cause;
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
