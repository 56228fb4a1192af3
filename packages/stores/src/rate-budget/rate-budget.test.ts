import { describeRateBudget } from "@product-search/testing/contracts/rate-budget.ts";
import { createMemoryRateBudget } from "@product-search/testing/memory-ports.ts";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { createPostgresRateBudget } from "./postgres.ts";

const nowMs = Date.UTC(2026, 4, 1);

describeOnPostgres("the rate budget on PostgreSQL", () => {
  describeRateBudget(async (clock) => {
    const { db, close } = await openTestPostgres();
    return { budget: createPostgresRateBudget({ db, clock }), close };
  });

  test("removes former windows and dead nodes within half a minute, and not with every heartbeat", async () => {
    const { db, close } = await openTestPostgres();
    onTestFinished(close);
    let time = nowMs;
    const budget = createPostgresRateBudget({ db, clock: { now: () => time } });
    await budget.beat("dead");
    await budget.report([{ key: "k", window: 1, endsAtMs: nowMs, limit: 100, used: 1, asked: 0 }]);
    const left = async () => {
      const { rows } = await sql<{ kept: string }>`
        select node as kept from rate_nodes union all select key from rate_windows order by kept`.execute(db);
      return rows.map(({ kept }) => kept);
    };
    time += 29_000;
    await budget.beat("a");
    expect(await left()).toEqual(["a", "dead", "k"]);
    time += 1000;
    await budget.beat("a");
    expect(await left()).toEqual(["a", "dead"]);
    time += 71_000;
    await budget.beat("a");
    expect(await left()).toEqual(["a"]);
  });

  test("keeps budgets when the server crashes: its tables are logged", async () => {
    const { db, close } = await openTestPostgres();
    onTestFinished(close);
    const { rows } = await sql<{ relname: string; relpersistence: string }>`
      select relname, relpersistence from pg_class where relname in ('rate_windows', 'rate_nodes')`.execute(
      db,
    );
    expect(rows.map(({ relpersistence }) => relpersistence)).toEqual(["p", "p"]);
  });

  test("keeps what it granted when the server crashes: it is on disk before it is admitted", async () => {
    const { db, close } = await openTestPostgres();
    onTestFinished(close);
    const budget = createPostgresRateBudget({ db, clock: { now: () => nowMs } });
    let onDisk = 0;
    for (let window = 0; window < 300 && onDisk <= 5; window += 1) {
      await budget.report([{ key: "k", window, endsAtMs: nowMs + 60_000, limit: 100, used: 1, asked: 0 }]);
      // False as well when another session of the server writes at this moment.
      const { rows } = await sql<{ isOnDisk: boolean }>`
        select pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as "isOnDisk"`.execute(db);
      if (rows[0]?.isOnDisk) onDisk += 1;
    }
    expect(onDisk).toBeGreaterThan(5);
  });
});

describe("the rate budget in memory, of tests", () => {
  describeRateBudget(async (clock) => ({
    budget: createMemoryRateBudget(clock).budget,
    close: async () => {},
  }));
});
