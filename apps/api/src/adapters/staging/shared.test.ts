import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { productInput } from "../../../testing/fake-products.ts";
import { describeOnPostgres, openTestPostgres } from "../../../testing/servers/postgres.ts";
import { StagingDamaged } from "../../ports/staging.ts";
import type { OpenPostgres } from "../database/postgres/open.ts";
import { describeStagingArea } from "./contract.ts";
import { createSharedStagingArea } from "./shared.ts";

describeOnPostgres("the staging area of several nodes", () => {
  describeStagingArea(async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    const { db, close } = await openTestPostgres();
    const remove = async () => {
      await close();
      await rm(folder, { recursive: true });
    };
    return { area: createSharedStagingArea(join(folder, "imports"), db), remove };
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
    const node = (name: string) => createSharedStagingArea(join(folder, name), database.db);
    const sealOne = async () => {
      const file = await node("a").create();
      for (let index = 0; index < 5000; index += 1)
        file.add(productInput(`k${index}`, { priceMinor: index }));
      await file.seal(new AbortController().signal);
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
      await node("c").clear();
      expect(await node("d").open(name)).toBeUndefined();
    });

    test("an unsealed file does not exist there", async () => {
      const file = await node("a").create();
      file.add(productInput("a"));
      expect(await node("b").open(file.name)).toBeUndefined();
      file.close();
    });

    test("a file is not stored when the import has to stop meanwhile", async () => {
      const { db } = database;
      const file = await node("a").create();
      file.add(productInput("a"));
      const stopping = new AbortController();
      const sealing = await db.transaction().execute(async (transaction) => {
        await sql`lock table staged_chunks`.execute(transaction);
        const started = file.seal(stopping.signal);
        const waiting = sql`select 1 from pg_locks where not granted and relation = 'staged_chunks'::regclass`;
        while ((await waiting.execute(db)).rows.length === 0) await setTimeout(10);
        stopping.abort();
        // Returned inside an object, because the seal waits for the end of this transaction.
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
