import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newestVersion } from "./migrate.ts";
import { openDatabase } from "./open.ts";

async function openedStore() {
  const dataDir = await mkdtemp(join(tmpdir(), "migrate-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const { connection, close } = await openDatabase(dataDir);
  return { dataDir, connection, close };
}

test("a database written by a newer release is refused with a remedy", async () => {
  const { dataDir, connection, close } = await openedStore();
  connection.pragma(`user_version = ${newestVersion + 1}`);
  await close();
  await expect(openDatabase(dataDir)).rejects.toThrow(/written by a newer release.*restore a backup/s);
});

test("audit entries can neither be changed nor replaced, and new ones follow them", async () => {
  const { connection, close } = await openedStore();
  const insert = "into audit_log (row_id, at, action, subject, details, origin) values";
  connection.exec(
    `insert ${insert} (1, 0, 'token.created', 'one', '{}', 'here'), (2, 0, 'token.created', 'two', '{}', 'here')`,
  );
  for (const change of [
    "update audit_log set at = 1",
    "delete from audit_log",
    `replace ${insert} (1, 0, 'token.created', 'forged', '{}', 'here')`,
  ])
    expect(() => connection.exec(change)).toThrow("only ever appended to");
  connection.exec(`insert ${insert} (null, 0, 'token.created', 'three', '{}', 'here')`);
  expect(connection.prepare("select subject from audit_log order by row_id").pluck().all()).toEqual([
    "one",
    "two",
    "three",
  ]);
  await close();
});
