import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type OpenDatabase, openDatabase } from "../database/open.ts";
import { createSqliteDayQuota } from "./sqlite-day-quota.ts";

const hourMs = 3_600_000;
let dataDir: string;
let database: OpenDatabase;
let nowMs: number;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "product-search-quota-"));
  database = await openDatabase(dataDir);
  nowMs = Date.parse("2026-11-20T12:30:00Z");
});
afterEach(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const quota = (
  connection = database.connection,
  marketplace: "marketplace-a" | "marketplace-b" = "marketplace-a",
) => createSqliteDayQuota({ connection, clock: { now: () => nowMs }, marketplace });

describe("createSqliteDayQuota", () => {
  test("gives what is left and no more", async () => {
    expect([await quota().take(100, 60), await quota().take(100, 60), await quota().take(100, 60)]).toEqual([
      60, 40, 0,
    ]);
  });

  test("remembers across restarts and counts for all processes", async () => {
    await quota().take(100, 60);
    const other = await openDatabase(dataDir);
    expect(await quota(other.connection).take(100, 60)).toBe(40);
    await other.close();
    expect(await quota().take(100, 60)).toBe(0);
  });

  test("counts the marketplaces apart", async () => {
    await quota().take(100, 100);
    expect(await quota(database.connection, "marketplace-b").take(100, 10)).toBe(10);
  });

  test("never gives more than the quota in any 24 hours", async () => {
    const given: { atMs: number; got: number }[] = [];
    for (let half = 0; half < 150; half++) {
      given.push({ atMs: nowMs, got: await quota().take(100, 7) });
      nowMs += hourMs / 2;
    }
    for (const { atMs } of given) {
      const inADay = given.filter((one) => one.atMs >= atMs && one.atMs <= atMs + 24 * hourMs);
      expect(inADay.reduce((sum, { got }) => sum + got, 0)).toBeLessThanOrEqual(100);
    }
    expect(given.reduce((sum, { got }) => sum + got, 0)).toBeGreaterThan(250);
  });

  test("gives nothing when the quota was lowered below what is used", async () => {
    await quota().take(100, 80);
    expect(await quota().take(50, 10)).toBe(0);
  });
});
