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
