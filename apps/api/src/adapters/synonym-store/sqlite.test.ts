import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../database/open.ts";
import { createSqliteSynonymStore } from "./sqlite.ts";

async function openStore() {
  const dataDir = await mkdtemp(join(tmpdir(), "synonym-store-"));
  const { db, close } = await openDatabase(dataDir);
  onTestFinished(async () => {
    await close();
    await rm(dataDir, { recursive: true });
  });
  return createSqliteSynonymStore({ db });
}

test("a store of synonyms begins without changes", async () => {
  const store = await openStore();
  expect(await store.edits()).toEqual({ version: 0, added: [], removed: [] });
  expect(await store.version()).toBe(0);
});

test("the last that was said of a rule holds, and every change raises the version", async () => {
  const store = await openStore();
  await store.put(["couch, sofa", "bike, cycle"], "added");
  const first = await store.version();
  await store.put(["couch, sofa"], "removed");
  const second = await store.version();
  expect(await store.edits()).toEqual({
    version: second,
    added: ["bike, cycle"],
    removed: ["couch, sofa"],
  });
  await store.put(["couch, sofa"], "added");
  expect((await store.edits()).added.toSorted()).toEqual(["bike, cycle", "couch, sofa"]);
  expect([first, second, await store.version()]).toEqual([1, 2, 3]);
});
