import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { StagingDamaged } from "@product-search/core/ports/imports.ts";
import { describeStagingArea } from "@product-search/testing/contracts/staging.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import type { OpenPostgres } from "../database/postgres/open.ts";
import { createSqlImportJournal } from "../import-journal/import-journal.ts";
import { createSharedStagingArea } from "./shared.ts";

describeOnPostgres("the staging area of several nodes", () => {
  describeStagingArea(async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    const { db, clock, close } = await openTestPostgres();
    const remove = async () => {
      await close();
      await rm(folder, { recursive: true });
    };
    const journal = createSqlImportJournal({ db, clock });
    await journal.acquire("catalog", "a feed", 60_000);
    const area = createSharedStagingArea({
      folder: join(folder, "imports"),
      db,
      owner: journal.owner,
      isLeft: () => true,
    });
    return { area, remove };
  });

  describe("on another node", () => {
    let folder: string;
    let database: OpenPostgres;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "staging-"));
      database = await openTestPostgres();
    });
    afterEach(async () => {
      await database.close();
      await rm(folder, { recursive: true });
    });
    const clock = { nowMs: 0, now: () => clock.nowMs };
    const newJournal = () => createSqlImportJournal({ db: database.db, clock });
    const node = (name: string, { owner } = newJournal()) =>
      createSharedStagingArea({ folder: join(folder, name), db: database.db, owner, isLeft: () => true });
    const sealOne = async () => {
      const file = await node("a").create("catalog");
      for (let index = 0; index < 5000; index += 1)
        file.add(productInput(`k${index}`, { priceMinor: index }));
      await file.seal(new AbortController().signal);
      await file.share(new AbortController().signal);
      file.close();
      return file.name;
    };

    test("a sealed file can be opened, until it is cleared", async () => {
      const name = await sealOne();
      const file = await node("b").open(name);
      expect(await file?.countAfter(0)).toBe(5000);
      const prices = Array.from(file?.rowsAfter(0) ?? [], ({ change }) =>
        "priceMinor" in change ? (change.priceMinor ?? 0) : 0,
      );
      expect(Math.max(...prices)).toBe(4999);
      file?.close();
      const journal = newJournal();
      await journal.acquire("catalog", "another feed", 1000);
      await node("c", journal).clear(async () => []);
      expect(await node("d").open(name)).toBeUndefined();
    });

    test("an importer that has lost its lease removes no file", async () => {
      const paused = newJournal();
      await paused.acquire("catalog", "a feed", 1000);
      clock.nowMs += 1000;
      await newJournal().acquire("catalog", "the same feed", 1000);
      const name = await sealOne();
      await node("b", paused).clear(async () => []);
      await node("a", paused).clear(async () => []);
      for (const other of ["a", "b", "c"]) {
        const file = await node(other).open(name);
        expect(await file?.countAfter(0)).toBe(5000);
        file?.close();
      }
    });

    test("an importer into another source removes no file, and nobody removes that of a sealed import", async () => {
      const name = await sealOne();
      const other = newJournal();
      await other.acquire("marketplace-a", "another feed", 1000);
      await node("b", other).clear(async () => []);
      const journal = newJournal();
      await journal.acquire("catalog", "a feed", 1000);
      const sealed = {
        source: "catalog",
        stagingFile: name,
        startedAtMs: 0,
        absent: "keep",
        position: 0,
      } as const;
      await journal.seal(sealed);
      await node("b", journal).clear(journal.sealedFiles);
      const file = await node("c").open(name);
      expect(await file?.countAfter(0)).toBe(5000);
      file?.close();
    });

    test("an unsealed file does not exist there", async () => {
      const file = await node("a").create("catalog");
      file.add(productInput("a"));
      expect(await node("b").open(file.name)).toBeUndefined();
      file.close();
    });

    test("a file is not stored when the import has to stop meanwhile", async () => {
      const { db } = database;
      const file = await node("a").create("catalog");
      file.add(productInput("a"));
      await file.seal(new AbortController().signal);
      const stopping = new AbortController();
      const sealing = await db.transaction().execute(async (transaction) => {
        await sql`lock table staged_chunks`.execute(transaction);
        const started = file.share(stopping.signal);
        const waiting = sql`select 1 from pg_locks where not granted and relation = 'staged_chunks'::regclass`;
        while ((await waiting.execute(db)).rows.length === 0) await setTimeout(10);
        stopping.abort();
        // Returned inside an object, because sharing waits for the end of this transaction.
        return { ended: started.catch(() => "stopped") };
      });
      expect(await sealing.ended).toBe("stopped");
      expect(await db.selectFrom("staged_chunks").selectAll().execute()).toEqual([]);
      file.close();
    });

    test("distinguishes a damaged file from a missing one", async () => {
      const name = await sealOne();
      await sql`update staged_chunks set bytes = '\\x00010203'`.execute(database.db);
      await expect(node("b").open(name)).rejects.toThrow(StagingDamaged);
    });
  });
});
