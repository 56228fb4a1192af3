import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SynonymStore } from "@product-search/core/ports/merchandising.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openDatabase } from "../database/open.ts";
import { createSqlSynonymStore } from "./synonym-store.ts";

/** Tests for every synonym store; `open` returns two processes' stores on one database. */
function describeSynonymStore(
  open: () => Promise<{ one: SynonymStore; other: SynonymStore; close(): Promise<void> }>,
): void {
  let one: SynonymStore;
  let other: SynonymStore;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ one, other, close } = await open());
  });
  afterEach(() => close());

  test("starts without changes", async () => {
    expect(await one.version()).toBeUndefined();
    expect(await one.read()).toBeUndefined();
  });

  test("changes are read by other processes, with a new version each time", async () => {
    const first = { added: ["bike, cycle", "\u0000 \ud83d\ude00 ä"], removed: ["couch, sofa"] };
    expect(await one.replace(first, undefined)).toBe(true);
    const stored = await other.read();
    expect(stored).toEqual({ ...first, version: await one.version() });
    expect(await other.replace({ added: [], removed: [] }, stored?.version)).toBe(true);
    expect(await one.read()).toEqual({ added: [], removed: [], version: await other.version() });
    expect(await one.version()).not.toBe(stored?.version);
  });

  test("of two processes that change one version, one succeeds", async () => {
    const replaceBoth = (former: string | undefined) =>
      Promise.all([
        one.replace({ added: ["a, b"], removed: [] }, former),
        other.replace({ added: ["c, d"], removed: [] }, former),
      ]);
    const first = await replaceBoth(undefined);
    expect(first.toSorted()).toEqual([false, true]);
    expect((await one.read())?.added).toEqual(first[0] ? ["a, b"] : ["c, d"]);
    expect((await replaceBoth(await one.version())).toSorted()).toEqual([false, true]);
    expect(await one.replace({ added: [], removed: [] }, "another version")).toBe(false);
  });
}

describe("the synonym store in SQLite", () => {
  describeSynonymStore(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "synonym-store-"));
    const [first, second] = [await openDatabase(dataDir), await openDatabase(dataDir)];
    return {
      one: createSqlSynonymStore(first),
      other: createSqlSynonymStore(second),
      async close() {
        await first.close();
        await second.close();
        await rm(dataDir, { recursive: true });
      },
    };
  });
});

describeOnPostgres("the synonym store on PostgreSQL", () => {
  describeSynonymStore(async () => {
    const { db, close } = await openTestPostgres();
    return { one: createSqlSynonymStore({ db }), other: createSqlSynonymStore({ db }), close };
  });
});
