import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  FeedSchedule,
  PullResult,
  ScheduledFeed,
  TakenFeed,
} from "@product-search/core/ports/imports.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

const minuteMs = 60_000;

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
  outdated: 0,
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
  const take = async (schedule = one): Promise<TakenFeed> => {
    const taken = await schedule.take();
    if (taken === undefined) throw new Error("No feed is due.");
    return taken;
  };
  /** Takes the feeds that are due, and records the success of this one. */
  const succeed = async ({ source, url }: ScheduledFeed, ...how: Parameters<typeof success>) => {
    const others: TakenFeed[] = [];
    let taken = await take();
    for (; taken.source !== source || taken.url !== url; taken = await take()) others.push(taken);
    await one.recordSuccess(taken, success(...how));
    for (const other of others) await one.release(other);
  };
  const stateOf = async ({ url }: ScheduledFeed) => (await one.list()).find((state) => state.url === url);

  test("new feeds are due at once, and each is given to one", async () => {
    await one.configure([shop]);
    expect(await one.take()).toMatchObject({ ...shop, failures: 0, attemptedAtMs: nowMs });
    expect(await other.take()).toBeUndefined();
    await one.configure([shop, stock]);
    const taken = await Promise.all([one.take(), other.take()]);
    expect(taken.filter((state) => state !== undefined)).toMatchObject([{ url: stock.url }]);
  });

  test("a feed is due again after its period, with the version that the server reported", async () => {
    await one.configure([shop]);
    await succeed(shop, nowMs + shop.periodMs);
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
    expect(await other.take()).toBeUndefined();
    nowMs += 1;
    expect(await other.take()).toMatchObject({ version: { etag: '"v1"' } });
  });

  test("failures are counted until a success, and keep the known version", async () => {
    await one.configure([shop]);
    await succeed(shop, nowMs);
    for (const failures of [1, 2]) {
      await one.recordFailure(await take(), { nextAtMs: nowMs, error: "status 500" });
      expect(await stateOf(shop)).toMatchObject({ failures, error: "status 500", result, version: {} });
    }
    await succeed(shop, nowMs);
    const state = await stateOf(shop);
    expect(state).toMatchObject({ failures: 0 });
    expect(state && "error" in state).toBe(false);
  });

  test("a crashed process frees its feed when its lease ends, and a stopped one at once", async () => {
    const { leaseMs } = one;
    await one.configure([shop]);
    const taken = await take();
    nowMs += leaseMs - 1;
    expect(await one.renew(taken)).toBe(true);
    nowMs += leaseMs - 1;
    expect(await other.take()).toBeUndefined();
    nowMs += 1;
    const takenOver = await take(other);
    expect(takenOver).toMatchObject(shop);
    await other.release(takenOver);
    expect(await other.renew(takenOver)).toBe(false);
    expect(await one.take()).toMatchObject(shop);
  });

  test("a process that has lost its feed changes nothing any more", async () => {
    await one.configure([shop]);
    const late = await take();
    nowMs += one.leaseMs;
    const newer = await take(other);
    expect(await one.renew(late)).toBe(false);
    await one.release(late);
    await one.recordFailure(late, { nextAtMs: nowMs, error: "late" });
    await one.recordSuccess(late, success(nowMs));
    expect(await one.take()).toBeUndefined();
    expect(await stateOf(shop)).toEqual(newer);
    expect(await other.renew(newer)).toBe(true);
  });

  test("importing whole products discards the known versions of other feeds of the source, importing only prices does not", async () => {
    const elsewhere: ScheduledFeed = { ...stock, source: "marketplace-a" };
    await one.configure([shop, stock, elsewhere]);
    for (const feed of [shop, stock, elsewhere]) await succeed(feed, nowMs, '"v"', false);
    await succeed(stock, nowMs, '"2"', false);
    expect(await stateOf(shop)).toMatchObject({ version: { etag: '"v"' } });
    await succeed(shop, nowMs, '"3"', true);
    const versions = (await one.list()).map(({ source, url, version }) => [source, url, version?.etag]);
    expect(versions).toEqual([
      ["catalog", shop.url, '"3"'],
      ["catalog", stock.url, undefined],
      ["marketplace-a", stock.url, '"v"'],
    ]);
  });

  test("removed feeds are deleted, and others keep their state", async () => {
    await one.configure([shop, stock]);
    await succeed(shop, nowMs + shop.periodMs);
    await one.configure([shop]);
    expect(await one.list()).toMatchObject([{ url: shop.url, version: { etag: '"v1"' } }]);
    expect(await one.take()).toBeUndefined();
  });

  test("a shorter period applies at once, and another rule makes the feed be read again", async () => {
    await one.configure([shop]);
    await succeed(shop, nowMs + shop.periodMs);
    await one.configure([{ ...shop, periodMs: minuteMs }]);
    expect(await one.list()).toMatchObject([{ nextAtMs: nowMs + minuteMs, version: {} }]);
    await one.configure([{ ...shop, periodMs: minuteMs, absent: "remove" }]);
    const [state] = await one.list();
    expect(state).toMatchObject({ absent: "remove", nextAtMs: nowMs });
    expect(state && "version" in state).toBe(false);
  });
}
