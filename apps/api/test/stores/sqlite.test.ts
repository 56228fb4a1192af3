import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { SecondQuota } from "@product-search/core/ports/quotas.ts";
import { holdFeed } from "@product-search/features/catalog-write/feeds/pull-feed.ts";
import { createLocalSecondQuota } from "@product-search/marketplaces/http/request-gate.ts";
import { createPostgresSecondQuota } from "@product-search/stores/marketplace-quota/postgres.ts";
import { createSqliteStagingArea } from "@product-search/stores/staging/sqlite.ts";
import { describeOnPostgres, openTestPostgres } from "@product-search/stores/testing/postgres.ts";
import { describeStagingArea } from "@product-search/testing/contracts/staging.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { describe, expect, onTestFinished, test } from "vitest";

const takenFeed = {
  source: "catalog",
  url: "https://shop.example/feed",
  periodMs: 60_000,
  absent: "keep",
  nextAtMs: 0,
  failures: 0,
  attemptedAtMs: 0,
} as const;

/** So many are sorted in a thread. */
const manyRows = 50_001;

describe("the SQLite staging area", () => {
  describeStagingArea(async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    return {
      area: createSqliteStagingArea(join(folder, "imports"), () => true),
      remove: () => rm(folder, { recursive: true }),
    };
  });

  test("treats files of former releases as missing, and removes them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    const area = createSqliteStagingArea(folder, () => true);
    for (const name of ["old.staging", "old.staged"]) {
      await writeFile(join(folder, name), "");
      expect(await area.open(name)).toBeUndefined();
    }
    await area.clear(async () => []);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test.each([
    ["returns the last row of a repeated identifier among many rows", 1, 2],
    ["returns each row of many when no identifier is repeated", undefined, 1],
  ])("%s", async (_, repeatedRow, priceOfFirst) => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    const area = createSqliteStagingArea(folder);
    const file = await area.create("catalog");
    for (let row = 1; row < manyRows; row += 1) file.add({ ...productInput(`k${row}`), priceMinor: 1 });
    file.add({ ...productInput(`k${repeatedRow ?? "new"}`), priceMinor: 2 });
    await file.seal(new AbortController().signal);
    file.close();
    const sealed = await area.open(file.name);
    const changes = [...(sealed?.rowsAfter(0) ?? [])].map(({ change }) => change);
    expect(changes).toHaveLength(repeatedRow === undefined ? manyRows : manyRows - 1);
    expect(changes.find(({ key }) => key === "k1")).toMatchObject({ priceMinor: priceOfFirst });
    sealed?.close();
    await rm(folder, { recursive: true });
  });

  test("keeps the lease of a feed while it sorts for longer than the lease", async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    const area = createSqliteStagingArea(folder);
    const unsorted = async () => {
      const file = await area.create("catalog");
      for (let row = 0; row < 400_000; row += 1) file.addSeen("catalog", `k${row}`);
      return file;
    };
    const first = await unsorted();
    const startMs = performance.now();
    await first.seal(new AbortController().signal);
    const leaseMs = (performance.now() - startMs) / 2;
    first.close();
    const file = await unsorted();
    // As over a network, the reply comes in a later turn of the event loop.
    const schedule = { leaseMs, renew: () => setTimeout(5, true) };
    const held = holdFeed(schedule, takenFeed, new AbortController().signal);
    await file.seal(held.signal);
    expect(held.signal.aborted).toBe(false);
    held.stop();
    file.close();
    await rm(folder, { recursive: true });
  });

  test("reports why it cannot sort", async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    const file = await createSqliteStagingArea(folder).create("catalog");
    for (let row = 0; row < manyRows; row += 1) file.addSeen("catalog", `k${row}`);
    const sealing = file.seal(new AbortController().signal);
    await writeFile(join(folder, file.name), "no database".repeat(1000));
    await expect(sealing).rejects.toMatchObject({ code: "SQLITE_NOTADB" });
    file.close();
    await rm(folder, { recursive: true });
  });

  test("keeps the files of processes that still run, until nobody has used them for long", async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    const area = createSqliteStagingArea(folder);
    const file = await area.create("catalog");
    const deadProcess = file.name.replace(`-${process.pid}.`, `-${spawnSync("true").pid}.`);
    const otherMachine = "catalog.000000000000-1.x.rows";
    for (const name of [deadProcess, `${deadProcess}-journal`, otherMachine, "former.rows"]) {
      await writeFile(join(folder, name), "");
    }
    const left = async () =>
      (await readdir(folder)).filter((name) => name !== `${file.name}-journal`).toSorted();
    await area.clear(async () => []);
    expect(await left()).toEqual([file.name, otherMachine, "former.rows"].toSorted());
    const anHourAgo = Date.now() / 1000 - 3600;
    await utimes(join(folder, otherMachine), anHourAgo, anHourAgo);
    await utimes(join(folder, "former.rows"), anHourAgo, anHourAgo);
    await area.clear(async () => ["former.rows"]);
    expect(await left()).toEqual([file.name, "former.rows"].toSorted());
    file.close();
    await rm(folder, { recursive: true });
  });

  test("removes only its own files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    await writeFile(join(folder, "rejects.jsonl"), "kept");
    await createSqliteStagingArea(folder, () => true).clear(async () => []);
    expect(readFileSync(join(folder, "rejects.jsonl"), "utf8")).toBe("kept");
    await rm(folder, { recursive: true });
  });
});

/** What every quota of a second must do. */
function describeSecondQuota(open: (clock: Clock) => Promise<SecondQuota>): void {
  const opened = async () => {
    const time = { nowMs: Date.UTC(2026, 4, 1) };
    return { time, quota: await open({ now: () => time.nowMs }) };
  };

  test("lets the quota go at once, and the next requests after a second", async () => {
    const { quota } = await opened();
    const waits: number[] = [];
    for (let request = 0; request < 7; request++) waits.push(await quota.reserve(3, 0, 10_000));
    expect(waits).toEqual([0, 0, 0, 1050, 1050, 1050, 2100]);
  });

  test("reserves nothing that would be too late", async () => {
    const { quota, time } = await opened();
    expect(await quota.reserve(1, 0, 0)).toBe(0);
    expect(await quota.reserve(1, 0, 1000)).toBe(1050);
    expect(await quota.reserve(1, 0, 1000)).toBe(1050);
    time.nowMs += 500;
    expect(await quota.reserve(1, 0, 1000)).toBe(550);
    expect(await quota.reserve(1, 0, 3000)).toBe(1600);
  });

  test("waits as long as the marketplace asked for", async () => {
    const { quota } = await opened();
    expect(await quota.reserve(3, 700, 500)).toBe(700);
    expect(await quota.reserve(3, 0, 500)).toBe(0);
    expect(await quota.reserve(3, 700, 1000)).toBe(700);
    // Sent now, it would be the third in a second, and a fourth could follow.
    expect(await quota.reserve(3, 0, 1000)).toBe(700);
  });

  test("never exceeds a quota in any second, whatever comes when", async () => {
    const { quota, time } = await opened();
    const sent: number[] = [];
    for (let request = 0; request < 100; request++) {
      const wait = await quota.reserve(4, 0, 3000);
      if (wait <= 3000) sent.push(time.nowMs + wait);
      time.nowMs += (request * 37) % 150;
    }
    for (const [index, at] of sent.entries())
      expect(at - (sent[index - 4] ?? 0)).toBeGreaterThanOrEqual(1050);
    expect(sent.length).toBeGreaterThan(25);
  });
}

describeSecondQuota(async (clock) => createLocalSecondQuota(clock));

describeOnPostgres("the quota of a second for all nodes", () => {
  const open = async () => {
    const { db, close } = await openTestPostgres();
    onTestFinished(close);
    return (clock: Clock, marketplace: "marketplace-a" | "marketplace-b" = "marketplace-a") =>
      createPostgresSecondQuota({ db, clock, marketplace });
  };
  describeSecondQuota(async (clock) => (await open())(clock));

  test("holds for nodes that reserve at once, for each marketplace apart", async () => {
    const create = await open();
    const clock = { now: () => 1_000_000 };
    const nodes = [create(clock), create(clock), create(clock)];
    const waits = await Promise.all(
      Array.from({ length: 12 }, (_, request) => nodes[request % 3]?.reserve(5, 0, 10_000)),
    );
    expect(waits.toSorted((left = 0, right = 0) => left - right)).toEqual([
      ...Array(5).fill(0),
      ...Array(5).fill(1050),
      ...Array(2).fill(2100),
    ]);
    expect(await create(clock, "marketplace-b").reserve(5, 0, 0)).toBe(0);
  });
});
