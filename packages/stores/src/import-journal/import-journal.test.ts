import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { describeImportJournal } from "@product-search/testing/contracts/import-journal.ts";
import type { KyselyPlugin } from "kysely";
import { describe, expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openDatabase } from "../database/open.ts";
import { numberChanges } from "../database/postgres/number-changes.ts";
import { openPostgres } from "../database/postgres/open.ts";
import { createSqlImportJournal, isOwnerDead, newLeaseOwner } from "./import-journal.ts";

async function openJournals(clock: Clock) {
  const dataDir = await mkdtemp(join(tmpdir(), "import-journal-"));
  const databases = [
    await openDatabase(dataDir),
    await openDatabase(dataDir),
    await openDatabase(dataDir),
  ] as const;
  const [one, other] = databases.map(({ db }) => createSqlImportJournal({ db, clock }));
  if (!one || !other) throw new Error("There are two databases.");
  const close = async () => {
    for (const database of databases) await database.close();
    await rm(dataDir, { recursive: true });
  };
  const writer = databases[2].connection.prepare("insert into changes (product_row_id) values (random())");
  // On this single thread, waiting for the lock would block its holder forever.
  databases[2].connection.pragma("busy_timeout = 0");
  const write = async () => {
    // Transactions of this thread begin between turns of the event loop.
    await setImmediate();
    try {
      writer.run();
    } catch (error) {
      if (!String(error).includes("locked")) throw error;
    }
  };
  return { one, other, write, close, databases };
}

/** A thread of the process on this machine. */
function ownerOf(pid: number): string {
  return newLeaseOwner().replace(` ${process.pid} `, ` ${pid} `);
}

function heldBy(pid: number) {
  return { slot: 1, owner: ownerOf(pid), label: "held", started_at: 0, lease_until: 1e15 } as const;
}

describe("the SQLite import journal", () => {
  describeImportJournal(openJournals);

  test.each([
    ["a process that still runs", () => process.pid, false],
    ["a dead one", () => spawnSync("true").pid, true],
  ])("sees in one statement whether an import was left behind: of %s", async (_, pid, isLeft) => {
    const { close, databases } = await openJournals({ now: () => 0 });
    let statements = 0;
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const db = databases[0].db.withPlugin(counting);
    const journal = createSqlImportJournal({ db, clock: { now: () => 0 } });
    await databases[0].db
      .insertInto("imports")
      .values({ ...heldBy(pid()), source: "catalog", staging_file: "a" })
      .execute();
    expect(await journal.findUnfinished()).toBe(isLeft ? "catalog" : undefined);
    expect(statements).toBe(1);
    await close();
  });

  test("does not wait for a dead owner on this machine", async () => {
    const { one, close, databases } = await openJournals({ now: () => 0 });
    await databases[0].db
      .insertInto("imports")
      .values(heldBy(spawnSync("true").pid))
      .execute();
    expect(await one.acquire("catalog", "a.xml", 1000)).toEqual({ acquired: true });
    await close();
  });

  test("detects only dead processes of this machine", () => {
    const { pid } = spawnSync("true");
    expect(isOwnerDead(ownerOf(pid))).toBe(true);
    expect(isOwnerDead(`elsewhere ${pid} x`)).toBe(false);
    expect(isOwnerDead(newLeaseOwner())).toBe(false);
  });
});

describeOnPostgres("the PostgreSQL import journal", () => {
  describeImportJournal(async (clock) => {
    const database = await openTestPostgres();
    const node = await openPostgres({ url: database.url });
    let rowId = 0;
    return {
      one: createSqlImportJournal({ db: database.db, clock }),
      other: createSqlImportJournal({ db: node.db, clock }),
      write: () => numberChanges(database.db, "changes", [++rowId]),
      async close() {
        await node.close();
        await database.close();
      },
    };
  });
});
