import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { assertUndamaged } from "./damage.ts";
import { openDatabase } from "./open.ts";

const pageBytes = 4096;

let dataDir: string;
let file: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "damage-"));
  file = join(dataDir, "store.sqlite");
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** A store of some hundred pages, closed, so that all of it is in the one file. */
async function makeStore(): Promise<void> {
  const { connection, close } = await openDatabase(dataDir);
  connection.exec("insert into accounts values ('acc', 'acme', 0)");
  const insert = connection.prepare(
    "insert into webhook_events (id, type, body, created_at) values (?, 'price.alert', ?, 0)",
  );
  for (let event = 0; event < 500; event++) insert.run(`ev_${event}`, "x".repeat(1000));
  connection.pragma("wal_checkpoint(TRUNCATE)");
  await close();
}

async function check(isThorough = false): Promise<void> {
  const { connection, close } = await openDatabase(dataDir);
  try {
    await assertUndamaged(connection, file, isThorough);
  } finally {
    await close();
  }
}

test("a good store passes, a new one too", async () => {
  await check();
  await makeStore();
  await check();
  await check(true);
});

describe.each<[string, () => void]>([
  ["is no database at all", () => writeFileSync(file, "no database ".repeat(1000))],
  ["has lost its end", () => truncateSync(file, statSync(file).size / 2)],
  ["has a page of zeros", () => overwrite(Math.floor(statSync(file).size / pageBytes / 2))],
  ["has a damaged schema", () => overwrite(0, 200)],
])("a file that %s", (_, damage) => {
  test("is refused: which file, what is wrong, what to do", async () => {
    await makeStore();
    damage();
    await expect(check()).rejects.toThrow(/store\.sqlite.*(damaged).*backup/s);
  });
});

test("a table that is missing is damage, also for the check of a large store", async () => {
  await makeStore();
  const { connection, close } = await openDatabase(dataDir);
  connection.exec("drop table delivery_workers");
  await close();
  await expect(check()).rejects.toThrow(/store\.sqlite.*damaged.*delivery_workers/s);
});

test("a store whose end is missing is found by the check of a large store", async () => {
  await makeStore();
  truncateSync(file, statSync(file).size / 2);
  await expect(check()).rejects.toThrow(/store\.sqlite.*damaged/s);
});

test("what cannot be opened is told with the remedy", async () => {
  mkdirSync(file);
  await expect(openDatabase(dataDir)).rejects.toThrow(/store\.sqlite.*cannot be opened.*permissions/s);
});

function overwrite(page: number, offset = 0): void {
  const bytes = readFileSync(file);
  bytes.fill(0, page * pageBytes + offset, (page + 1) * pageBytes);
  writeFileSync(file, bytes);
}
