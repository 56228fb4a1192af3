import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createSqliteChanges, type OpenDatabase, openDatabase } from "./open.ts";
import * as Sqlite from "./sqlite.ts";

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
