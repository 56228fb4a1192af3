import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../../ports/clock.ts";
import type { FeedSchedule, PullResult, ScheduledFeed } from "../../ports/feed-schedule.ts";

const minuteMs = 60_000;
const leaseMs = 10 * minuteMs;

const shop: ScheduledFeed = {
  source: "catalog",
  url: "https://shop.example/feed.xml",
  periodMs: 30 * minuteMs,
  absent: "out_of_stock",
};
const stock: ScheduledFeed = {
  ...shop,
  url: "https://shop.example/stock.csv",
  periodMs: 5 * minuteMs,
  absent: "keep",
};
const result: PullResult = {
  notModified: false,
  rows: 3,
  refused: 1,
  duplicates: 0,
  created: 2,
  updated: 0,
  unchanged: 0,
  failed: 0,
  removed: 0,
  notFound: 0,
  outOfStock: 0,
};

/** Tests for every feed schedule; `open` returns two processes' schedules on one database. */
export function describeFeedSchedule(
  open: (clock: Clock) => Promise<{ one: FeedSchedule; other: FeedSchedule; close(): Promise<void> }>,
): void {
  let one: FeedSchedule;
  let other: FeedSchedule;
  let close: () => Promise<void>;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = 1_000_000;
    ({ one, other, close } = await open({ now: () => nowMs }));
  });
  afterEach(() => close());

  const success = (nextAtMs: number, etag = '"v1"', isOverwriting = true) => ({
    nextAtMs,
    result,
    version: { etag },
    isOverwriting,
  });
  const stateOf = async ({ url }: ScheduledFeed) => (await one.list()).find((state) => state.url === url);

  test("new feeds are due at once, and each is given to one", async () => {
    await one.configure([shop]);
    expect(await one.take(leaseMs)).toMatchObject({ ...shop, failures: 0, attemptedAtMs: nowMs });
    expect(await other.take(leaseMs)).toBeUndefined();
    await one.configure([shop, stock]);
    const taken = await Promise.all([one.take(leaseMs), other.take(leaseMs)]);
    expect(taken.filter((state) => state !== undefined)).toMatchObject([{ url: stock.url }]);
  });

  test("a feed is due again after its period, with the version that the server reported", async () => {
    await one.configure([shop]);
    await one.take(leaseMs);
    await one.recordSuccess(shop, success(nowMs + shop.periodMs));
    expect(await one.list()).toEqual([
      {
        ...shop,
        nextAtMs: nowMs + shop.periodMs,
        failures: 0,
        attemptedAtMs: nowMs,
        succeededAtMs: nowMs,
        result,
        version: { etag: '"v1"' },
      },
    ]);
    nowMs += shop.periodMs - 1;
    expect(await other.take(leaseMs)).toBeUndefined();
    nowMs += 1;
    expect(await other.take(leaseMs)).toMatchObject({ version: { etag: '"v1"' } });
  });

  test("failures are counted until a success, and keep the known version", async () => {
    await one.configure([shop]);
    await one.take(leaseMs);
    await one.recordSuccess(shop, success(nowMs));
    for (const failures of [1, 2]) {
      await one.take(leaseMs);
      await one.recordFailure(shop, { nextAtMs: nowMs, error: "status 500" });
      expect(await stateOf(shop)).toMatchObject({ failures, error: "status 500", result, version: {} });
    }
    await one.take(leaseMs);
    await one.recordSuccess(shop, success(nowMs));
    const state = await stateOf(shop);
    expect(state).toMatchObject({ failures: 0 });
    expect(state && "error" in state).toBe(false);
  });

  test("a crashed process frees its feed when its lease ends, and a stopped one at once", async () => {
    await one.configure([shop]);
    await one.take(leaseMs);
    nowMs += leaseMs - 1;
    await one.renew(shop, leaseMs);
    nowMs += leaseMs - 1;
    expect(await other.take(leaseMs)).toBeUndefined();
    nowMs += 1;
    expect(await other.take(leaseMs)).toMatchObject(shop);
    await other.release(shop);
    expect(await one.take(leaseMs)).toMatchObject(shop);
  });

  test("importing whole products discards the known versions of other feeds of the source, importing only prices does not", async () => {
    const elsewhere: ScheduledFeed = { ...stock, source: "marketplace-a" };
    await one.configure([shop, stock, elsewhere]);
    for (const feed of [shop, stock, elsewhere]) await one.recordSuccess(feed, success(nowMs, '"v"', false));
    await one.recordSuccess(stock, success(nowMs, '"2"', false));
    expect(await stateOf(shop)).toMatchObject({ version: { etag: '"v"' } });
    await one.recordSuccess(shop, success(nowMs, '"3"', true));
    const versions = (await one.list()).map(({ source, url, version }) => [source, url, version?.etag]);
    expect(versions).toEqual([
      ["catalog", shop.url, '"3"'],
      ["catalog", stock.url, undefined],
      ["marketplace-a", stock.url, '"v"'],
    ]);
  });

  test("removed feeds are deleted, and others keep their state", async () => {
    await one.configure([shop, stock]);
    await one.recordSuccess(shop, success(nowMs + shop.periodMs));
    await one.configure([shop]);
    expect(await one.list()).toMatchObject([{ url: shop.url, version: { etag: '"v1"' } }]);
    expect(await one.take(leaseMs)).toBeUndefined();
  });

  test("a shorter period applies at once, and another rule makes the feed be read again", async () => {
    await one.configure([shop]);
    await one.recordSuccess(shop, success(nowMs + shop.periodMs));
    await one.configure([{ ...shop, periodMs: minuteMs }]);
    expect(await one.list()).toMatchObject([{ nextAtMs: nowMs + minuteMs, version: {} }]);
    await one.configure([{ ...shop, periodMs: minuteMs, absent: "remove" }]);
    const [state] = await one.list();
    expect(state).toMatchObject({ absent: "remove", nextAtMs: nowMs });
    expect(state && "version" in state).toBe(false);
  });
}
