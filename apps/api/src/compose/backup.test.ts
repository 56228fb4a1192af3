import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupName } from "@product-search/stores/database/backup/manifest.ts";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config.ts";
import { backUp, composeBackups, lastDueMs, newestBackupMs, restore } from "./backup.ts";

test("with PostgreSQL, backups of the database file are refused with a remedy", async () => {
  const config = readConfig({
    DATABASE_URL: "postgres://127.0.0.1/search",
    SECRET_KEY: btoa("x".repeat(32)),
  });
  await expect(backUp(config, "/nowhere", undefined)).rejects.toThrow("pg_dump");
  await expect(restore(config, "/nowhere", false)).rejects.toThrow("pg_restore");
});

test("a daily backup is due at its time, in UTC", () => {
  const due = (atMinute: number, now: string) =>
    new Date(lastDueMs({ atMinute }, Date.parse(now))).toISOString();
  expect(due(210, "2026-03-01T03:29:59.999Z")).toBe("2026-02-28T03:30:00.000Z");
  expect(due(210, "2026-03-01T03:30:00.000Z")).toBe("2026-03-01T03:30:00.000Z");
  expect(due(0, "2026-03-01T23:59:00.000Z")).toBe("2026-03-01T00:00:00.000Z");
  expect(due(1439, "2026-03-01T23:58:00.000Z")).toBe("2026-02-28T23:59:00.000Z");
});

test.for([
  ["no backup", undefined, true],
  ["one from before the last time", "2026-03-01T02:59:00.000Z", true],
  ["one from after it", "2026-03-01T03:00:00.001Z", false],
] as const)("at a start with %s, one is written: %s → %s", async ([, newest, isWritten]) => {
  const dir = mkdtempSync(join(tmpdir(), "backups-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  if (newest !== undefined) mkdirSync(join(dir, backupName(Date.parse(newest))));
  const settings = { dir, atMinute: 180, keep: 7 };
  expect(await newestBackupMs(settings)).toBe(newest && Date.parse(newest));
  const stopping = new AbortController();
  let work: Promise<void> = Promise.resolve();
  const leading = { ended: Promise.resolve(), stop: async () => {} };
  let written = 0;
  composeBackups(
    settings,
    {
      clock: { now: () => Date.parse("2026-03-01T12:00:00Z") },
      leases: {
        lead(job, run) {
          const { signal } = stopping;
          work = run({ job, number: 1, isHeld: async () => true, signal });
          return leading;
        },
      },
    },
    async () => {
      written += 1;
    },
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  stopping.abort();
  await work;
  expect(written).toBe(isWritten ? 1 : 0);
});
