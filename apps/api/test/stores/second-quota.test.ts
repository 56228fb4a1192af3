import type { Clock } from "@product-search/core/ports/clock.ts";
import { createLocalSecondQuota, type SecondQuota } from "@product-search/core/ports/quotas.ts";
import { createPostgresSecondQuota } from "@product-search/stores/marketplace-quota/postgres.ts";
import { describeOnPostgres, openTestPostgres } from "@product-search/stores/testing/postgres.ts";
import { describe, expect, onTestFinished, test } from "vitest";

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

describe("the quota of a second in one process", () => {
  describeSecondQuota(async (clock) => createLocalSecondQuota(clock));
});

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
