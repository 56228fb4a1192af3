import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openDatabase } from "./open.ts";

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
