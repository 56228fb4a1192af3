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

/** A closed database of some hundred pages, so that all data is in one file. */
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

test("an intact database passes, and so does a new one", async () => {
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
  test("is refused with the file, the problem and the remedy", async () => {
    await makeStore();
    damage();
    await expect(check()).rejects.toThrow(/store\.sqlite.*(damaged).*backup/s);
  });
});

test("a missing table is damage, also in the check of a large database", async () => {
  await makeStore();
  const { connection, close } = await openDatabase(dataDir);
  connection.exec("drop table delivery_workers");
  await close();
  await expect(check()).rejects.toThrow(/store\.sqlite.*damaged.*delivery_workers/s);
});

test("the check of a large database finds a truncated file", async () => {
  await makeStore();
  truncateSync(file, statSync(file).size / 2);
  await expect(check()).rejects.toThrow(/store\.sqlite.*damaged/s);
});

test("a file that cannot be opened is reported with the remedy", async () => {
  mkdirSync(file);
  await expect(openDatabase(dataDir)).rejects.toThrow(/store\.sqlite.*cannot be opened.*permissions/s);
});

function overwrite(page: number, offset = 0): void {
  const bytes = readFileSync(file);
  bytes.fill(0, page * pageBytes + offset, (page + 1) * pageBytes);
  writeFileSync(file, bytes);
}
