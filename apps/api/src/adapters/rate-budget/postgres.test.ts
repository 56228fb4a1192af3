import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../../testing/servers/postgres.ts";
import { createPostgresRateBudget } from "./postgres.ts";

const nowMs = Date.UTC(2026, 4, 1);

async function opened(time = { nowMs }) {
  const { db, close } = await openTestPostgres();
  onTestFinished(close);
  return createPostgresRateBudget({ db, clock: { now: () => time.nowMs } });
}

const request = (key: string, limit: number, spent = 0, window = 1) => ({
  key,
  window,
  endsAtMs: nowMs + 60_000,
  limit,
  spent,
});

describeOnPostgres("the rate budget on PostgreSQL", () => {
  test("distributes a budget once among many concurrent nodes, in slices that get smaller", async () => {
    const budget = await opened();
    for (const node of ["a", "b", "c"]) await budget.beat(node);
    let granted = 0;
    const sizes: number[] = [];
    const node = async () => {
      for (;;) {
        const [slice] = await budget.take([request("k", 3000)]);
        if (!slice || slice.granted === 0) return;
        granted += slice.granted;
        sizes.push(slice.granted);
      }
    };
    await Promise.all([node(), node(), node()]);
    expect(granted).toBe(3000);
    expect(Math.max(...sizes)).toBe(150);
    expect(sizes.at(-1)).toBe(1);
    expect(sizes.length).toBeLessThan(100);
  });

  test("counts admitted requests, even beyond the limit", async () => {
    const budget = await opened();
    expect(await budget.take([request("k", 100, 40)])).toEqual([{ granted: 5, left: 55 }]);
    expect(await budget.take([request("k", 100, 54)])).toEqual([{ granted: 1, left: 0 }]);
    expect(await budget.take([request("k", 100, 7)])).toEqual([{ granted: 0, left: 0 }]);
    expect(await budget.take([request("k", 100)])).toEqual([{ granted: 0, left: 0 }]);
  });

  test("separates keys and windows, and replies in the order of the requests", async () => {
    const budget = await opened();
    expect(await budget.take([request("b", 1), request("a", 60), request("b", 1, 0, 2)])).toEqual([
      { granted: 1, left: 0 },
      { granted: 3, left: 57 },
      { granted: 1, left: 0 },
    ]);
    expect(await budget.take([])).toEqual([]);
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

  test("keeps slices when the server crashes: they are on disk before they are given out", async () => {
    const { db, close } = await openTestPostgres();
    onTestFinished(close);
    const budget = createPostgresRateBudget({ db, clock: { now: () => nowMs } });
    let onDisk = 0;
    for (let window = 0; window < 300 && onDisk <= 5; window += 1) {
      await budget.take([request("k", 100, 0, window)]);
      // False as well when another session of the server writes at this moment.
      const { rows } = await sql<{ isOnDisk: boolean }>`
        select pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as "isOnDisk"`.execute(db);
      if (rows[0]?.isOnDisk) onDisk += 1;
    }
    expect(onDisk).toBeGreaterThan(5);
  });

  test("counts live nodes", async () => {
    const time = { nowMs };
    const budget = await opened(time);
    expect(await budget.beat("a")).toBe(1);
    time.nowMs += 6000;
    expect(await budget.beat("b")).toBe(2);
    time.nowMs += 6000;
    expect(await budget.beat("b")).toBe(1);
  });
});
