import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import { type DayQuota, hourMs } from "@product-search/core/ports/quotas.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

export interface OpenDayQuotas {
  /** As a process that begins now sees it. */
  create(clock: Clock, marketplace: Marketplace): Promise<DayQuota>;
  close(): Promise<void>;
}

/** What every count of a marketplace's requests must do. */
export function describeDayQuota(open: () => Promise<OpenDayQuotas>): void {
  let quotas: OpenDayQuotas;
  let nowMs: number;
  beforeEach(async () => {
    quotas = await open();
    nowMs = Date.parse("2026-11-20T12:30:00Z");
  });
  afterEach(() => quotas.close());
  const quota = (marketplace: Marketplace = "marketplace-a") =>
    quotas.create({ now: () => nowMs }, marketplace);

  describe("taking", () => {
    test("gives what is left and no more, also to processes that begin later", async () => {
      const got = [];
      for (let process = 0; process < 3; process++) got.push(await (await quota()).take(100, 60));
      expect(got).toEqual([60, 40, 0]);
    });

    test("gives no more than the quota to processes that take at once", async () => {
      const takers: DayQuota[] = [];
      for (let process = 0; process < 5; process++) takers.push(await quota());
      const got = await Promise.all(takers.map((taker) => taker.take(100, 30)));
      expect(got.reduce((sum, one) => sum + one, 0)).toBe(100);
    });

    test("counts the marketplaces apart", async () => {
      await (await quota()).take(100, 100);
      expect(await (await quota("marketplace-b")).take(100, 10)).toBe(10);
    });

    test("never gives more than the quota in any 24 hours", async () => {
      const given: { atMs: number; got: number }[] = [];
      const taker = await quota();
      for (let half = 0; half < 150; half++) {
        given.push({ atMs: nowMs, got: await taker.take(100, 7) });
        nowMs += hourMs / 2;
      }
      for (const { atMs } of given) {
        const inADay = given.filter((one) => one.atMs >= atMs && one.atMs <= atMs + 24 * hourMs);
        expect(inADay.reduce((sum, { got }) => sum + got, 0)).toBeLessThanOrEqual(100);
      }
      expect(given.reduce((sum, { got }) => sum + got, 0)).toBeGreaterThan(250);
    });

    test("gives nothing when the quota was lowered below what is used", async () => {
      await (await quota()).take(100, 80);
      expect(await (await quota()).take(50, 10)).toBe(0);
    });
  });
}
