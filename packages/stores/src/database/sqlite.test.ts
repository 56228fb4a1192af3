import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { sql } from "kysely";
import { beforeEach, describe, expect, it, onTestFinished, test, vi } from "vitest";
import { createSqliteChanges, type OpenDatabase, openDatabase } from "./open.ts";
import * as Sqlite from "./sqlite.ts";
import { Database } from "./sqlite.ts";

describe("sqlite changes", () => {
  const farMs = 8000;
  const { signal } = new AbortController();
  let folder: string;
  let reader: OpenDatabase;
  let writer: OpenDatabase;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "changes-"));
    reader = await openDatabase(folder);
    writer = await openDatabase(folder);
    writer.connection.exec("create table notes (text text)");
    onTestFinished(async () => {
      await reader.close();
      await writer.close();
      rmSync(folder, { recursive: true });
    });
  });

  const write = ({ connection }: OpenDatabase) => connection.exec("insert into notes values ('n')");

  async function waitingMs(wait: Promise<void>): Promise<number> {
    const startedAt = performance.now();
    await wait;
    return performance.now() - startedAt;
  }

  test.each(["another connection", "the same connection"])("a commit of %s ends the wait", async (which) => {
    const untilChange = reader.untilChange();
    const waiting = waitingMs(untilChange(0, signal, farMs));
    await setTimeout(200);
    write(which === "another connection" ? writer : reader);
    expect(await waiting).toBeLessThan(farMs / 4);
  });

  test("a commit between two calls ends the second, but not before its time", async () => {
    const untilChange = reader.untilChange();
    write(writer);
    const ms = await waitingMs(untilChange(100, signal, farMs));
    expect(ms).toBeGreaterThanOrEqual(99);
    expect(ms).toBeLessThan(farMs / 4);
  });

  test("a commit is seen soon, though the log is written before it can be seen", async () => {
    const commits = 4;
    const everyMs = 1000;
    const untilChange = reader.untilChange();
    const worker = new Worker(new URL("../../testing/commit-worker.ts", import.meta.url), {
      workerData: { folder, commits, everyMs },
    });
    const committedAtMs: number[] = [];
    worker.on("message", (atMs) => committedAtMs.push(atMs));
    // What opening it writes.
    while (committedAtMs.length === 0) await untilChange(0, signal, 20);
    const delays: number[] = [];
    while (committedAtMs.length < commits) {
      const earlier = committedAtMs.length;
      await untilChange(0, signal, farMs);
      const seenAtMs = performance.timeOrigin + performance.now();
      // The message of the commit comes when its thread has the processor again.
      if (committedAtMs.length === earlier) await once(worker, "message");
      delays.push(seenAtMs - (committedAtMs.at(-1) ?? 0));
    }
    expect(delays.length).toBeGreaterThanOrEqual(commits - 1);
    expect(Math.max(...delays)).toBeLessThan(everyMs / 2);
  });

  test("without a commit, the wait ends after the longest rest, or with the signal", async () => {
    const untilChange = reader.untilChange();
    expect(await waitingMs(untilChange(0, signal, 200))).toBeLessThan(1000);
    const stopping = new AbortController();
    const waiting = waitingMs(untilChange(0, stopping.signal, farMs));
    stopping.abort();
    expect(await waiting).toBeLessThan(farMs / 4);
  });

  test("where the system cannot watch the log, the database is asked", async () => {
    // A database in memory has none.
    const connection = new Sqlite.Database(":memory:");
    connection.exec("create table notes (text text)");
    const { untilChange } = createSqliteChanges(connection);
    const wait = untilChange();
    expect(await waitingMs(wait(0, signal, farMs))).toBeLessThan(farMs / 4);
    connection.exec("insert into notes values ('n')");
    expect(await waitingMs(wait(0, signal, farMs))).toBeLessThan(farMs / 4);
    connection.close();
  });
});

describe("sqlite dialect", () => {
  it("reports a full disk as such, and works again when there is space", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "full-"));
    const { db, connection, close } = await openDatabase(dataDir);
    const write = (bytes: number) =>
      db.transaction().execute(async (transaction) => {
        await sql`create table if not exists filler (content blob)`.execute(transaction);
        await sql`insert into filler values (zeroblob(${bytes}))`.execute(transaction);
      });
    const pages = Number(connection.pragma("page_count", { simple: true }));
    connection.pragma(`max_page_count = ${pages + 4}`);
    await expect(write(1_000_000)).rejects.toMatchObject({ code: "SQLITE_FULL" });
    connection.pragma(`max_page_count = ${pages + 10_000}`);
    await write(1_000_000);
    expect(connection.prepare("select count(*) from filler").pluck().get()).toBe(1);
    await close();
    rmSync(dataDir, { recursive: true });
  });

  it("lets no other connection of its thread run inside a transaction, so that none waits for itself", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "shared-thread-"));
    const first = await openDatabase(dataDir);
    const second = await openDatabase(dataDir);
    first.connection.exec("create table numbers (value integer)");
    for (const { connection } of [first, second]) connection.pragma("busy_timeout = 20");
    const insert = second.connection.prepare("insert into numbers values (2)");
    const transaction = first.db.transaction().execute(async (open) => {
      for (let count = 0; count < 20; count += 1) await sql`insert into numbers values (1)`.execute(open);
    });
    // Another part, which became active in the same turn of the event loop, after as many steps as it may take.
    const others = Array.from({ length: 60 }, async (_, steps) => {
      for (let step = 0; step < steps; step += 1) await undefined;
      insert.run();
    });
    await Promise.all([transaction, ...others]);
    expect(first.connection.prepare("select count(*) from numbers").pluck().get()).toBe(80);
    await first.close();
    await second.close();
    rmSync(dataDir, { recursive: true });
  });

  /** A store whose disk writes the log when the test says so. */
  async function openSlowDisk() {
    const dataDir = mkdtempSync(join(tmpdir(), "slow-disk-"));
    const opened = await openDatabase(dataDir);
    opened.connection.exec("create table numbers (value integer)");
    const flushes: PromiseWithResolvers<void>[] = [];
    const connection = new Database(opened.connection.name, {
      flush() {
        const flush = Promise.withResolvers<void>();
        flushes.push(flush);
        return flush.promise;
      },
    });
    onTestFinished(async () => {
      connection.close();
      await opened.close();
      rmSync(dataDir, { recursive: true });
    });
    const insert = connection.prepare<[number]>("insert into numbers values (?)");
    const level = () => connection.pragma("synchronous", { simple: true });
    const levels: unknown[] = [];
    const write = connection.transaction((value: number) => {
      levels.push(level());
      insert.run(value);
    });
    return { connection, flushes, level, levels, write: (value: number) => write.soon(value) };
  }

  const [normal, full] = [1, 2];

  it("leaves the disk to another thread, and ends a transaction when the disk has it", async () => {
    const { flushes, level, levels, write } = await openSlowDisk();
    const ended: number[] = [];
    const begin = (value: number) => write(value).then(() => ended.push(value));
    const first = begin(1);
    await vi.waitFor(() => expect(flushes).toHaveLength(1), { timeout: 60_000 });
    // They may have come too late for the flush that runs.
    const later = [begin(2), begin(3)];
    await setTimeout(20);
    expect(flushes).toHaveLength(1);
    expect(ended).toEqual([]);
    flushes[0]?.resolve();
    await vi.waitFor(() => expect(flushes).toHaveLength(2), { timeout: 60_000 });
    expect(ended).toEqual([1]);
    flushes[1]?.resolve();
    await Promise.all([first, ...later]);
    expect(ended).toEqual([1, 2, 3]);
    expect(levels).toEqual([normal, normal, normal]);
    expect(level()).toBe(full);
  });

  it("reports a disk that refuses the log, and trusts it again when the database has all of it", async () => {
    const { connection, flushes, write } = await openSlowDisk();
    const refused = expect(write(1)).rejects.toMatchObject({ code: "SQLITE_IOERR_FSYNC" });
    await vi.waitFor(() => expect(flushes).toHaveLength(1), { timeout: 60_000 });
    flushes[0]?.reject(new Error("EIO"));
    await refused;
    const reader = new Database(connection.name);
    reader.exec("begin; select * from numbers");
    reader.prepare("select * from numbers").all();
    await expect(write(2)).rejects.toMatchObject({ code: "SQLITE_IOERR_FSYNC" });
    reader.close();
    const written = write(3);
    await vi.waitFor(() => expect(flushes).toHaveLength(2), { timeout: 60_000 });
    flushes[1]?.resolve();
    await written;
    expect(statSync(`${connection.name}-wal`).size).toBe(0);
  });

  it("copies a long log to the database for connections that leave it to others", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "long-log-"));
    const writer = await openDatabase(dataDir, { leavesCheckpoints: true });
    const other = await openDatabase(dataDir);
    const stopping = new AbortController();
    const keeping = other.keepLogShort(stopping.signal);
    const write = (bytes: number) =>
      writer.db.transaction().execute(async (transaction) => {
        await sql`create table if not exists filler (content blob)`.execute(transaction);
        await sql`insert into filler values (zeroblob(${bytes}))`.execute(transaction);
      });
    const frames = other.connection.prepare<[], { log: number; checkpointed: number }>(
      "pragma wal_checkpoint(NOOP)",
    );
    const waiting = () => {
      const { log = 0, checkpointed = 0 } = frames.get() ?? {};
      return log - checkpointed;
    };
    await write(20_000_000);
    expect(waiting()).toBeGreaterThan(4000);
    await write(20_000_000);
    await vi.waitFor(() => expect(waiting()).toBe(0), 60_000);
    stopping.abort();
    await keeping;
    await writer.close();
    await other.close();
    rmSync(dataDir, { recursive: true });
  });

  it("reports a refused statement once, when the disk has what was written before", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "refused-"));
    const { db, close } = await openDatabase(dataDir);
    const create = () => db.insertInto("accounts").values({ id: "a", name: "acme", created_at: 0 }).execute();
    await create();
    await expect(create()).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
    await close();
    rmSync(dataDir, { recursive: true });
  });
});
