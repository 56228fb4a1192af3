import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { StagedRow, StagingArea, StagingFile } from "../../ports/staging.ts";

const rowsInTransaction = 2000;
const rowsAtOnce = 500;

/**
 * Staging files are SQLite files in `folder`: the rows in the order of the feed and, once all are there, an index of
 * the keys, which SQLite sorts on disk. Until they are sealed they are not durable: a file that a crash cut short is
 * thrown away.
 */
export function createSqliteStagingArea(folder: string): StagingArea {
  const fileOf = (name: string) => join(folder, name);
  return {
    async create() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${randomUUID()}.staging`;
      const connection = new Sqlite(fileOf(name));
      connection.pragma("journal_mode = OFF");
      connection.pragma("synchronous = OFF");
      connection.pragma("locking_mode = EXCLUSIVE");
      connection.pragma("temp_store = FILE");
      connection.exec("create table staged (position integer primary key, key text not null, input text)");
      return createFile(name, fileOf(name), folder, connection);
    },
    async open(name) {
      if (!existsSync(fileOf(name))) return undefined;
      const connection = new Sqlite(fileOf(name), { readonly: true, fileMustExist: true });
      return createFile(name, fileOf(name), folder, connection);
    },
    async clear(exceptName) {
      const names = await readdir(folder).catch((): string[] => []);
      const stale = names.filter((name) => /\.staging(-journal)?$/.test(name) && name !== exceptName);
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
    add: (input) => writer().add(input.key, JSON.stringify(input)),
    addSeen: (key) => writer().add(key, null),
    async seal() {
      writer().flush();
      connection.exec("create index staged_key on staged (key)");
      await sync(file);
      await sync(folder);
    },
    countAfter: (position) => read().count(position),
    rowsAfter: (position) => read().rowsAfter(position),
    has: (key) => read().has(key),
    close: () => void connection.close(),
  };
}

function prepareWrites(connection: Sqlite.Database) {
  const insert = connection.prepare<[string, string | null]>("insert into staged (key, input) values (?, ?)");
  let pending = 0;
  const flush = () => {
    if (connection.inTransaction) connection.exec("commit");
    pending = 0;
  };
  return {
    add(key: string, input: string | null) {
      if (pending === 0) connection.exec("begin");
      insert.run(key, input);
      pending += 1;
      if (pending === rowsInTransaction) flush();
    },
    flush,
  };
}

function prepareReads(connection: Sqlite.Database) {
  const repeats = connection.prepare("select 1 from staged group by key having count(*) > 1 limit 1").get();
  // Most feeds name each key once: then there is no later row to look for.
  const isLast =
    repeats === undefined
      ? "true"
      : "not exists (select 1 from staged later where later.key = staged.key and later.position > staged.position and later.input is not null)";
  const rows = connection.prepare<[number, number], { position: number; input: string }>(
    `select position, input from staged
     where position > (select ?) and input is not null and ${isLast} order by position limit (select ?)`,
  );
  const count = connection.prepare<[number], { rows: number }>(
    "select count(distinct key) as rows from staged where position > (select ?) and input is not null",
  );
  const seen = connection.prepare<[string], { found: 1 }>(
    "select 1 as found from staged where key = (select ?) limit 1",
  );

  function* rowsAfter(from: number): Generator<StagedRow> {
    let position = from;
    for (;;) {
      const page = rows.all(position, rowsAtOnce);
      for (const row of page) yield { position: row.position, input: JSON.parse(row.input) };
      const last = page.at(-1);
      if (last === undefined) return;
      position = last.position;
    }
  }
  return {
    rowsAfter,
    count: (position: number) => count.get(position)?.rows ?? 0,
    has: (key: string) => seen.get(key) !== undefined,
  };
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
