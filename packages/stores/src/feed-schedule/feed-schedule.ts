import { productSources } from "@product-search/core/domain/product.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  absentRules,
  type FeedSchedule,
  type FeedState,
  type PullResult,
  type ScheduledFeed,
  type TakenFeed,
} from "@product-search/core/ports/imports.ts";
import type { Kysely, Selectable } from "kysely";
import type { Database, FeedPullsTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

export interface SqlFeedScheduleSettings {
  db: Kysely<Database>;
  clock: Clock;
  leaseMs?: number;
}

const defaultLeaseMs = 10 * 60_000;

/** Maximum length of a stored error message. */
const maxErrorLength = 1000;
const noVersion = { etag: null, last_modified: null };

export function createSqlFeedSchedule({
  db,
  clock,
  leaseMs = defaultLeaseMs,
}: SqlFeedScheduleSettings): FeedSchedule {
  return {
    leaseMs,
    configure: (feeds) => transact(db, (transaction) => configure(transaction, feeds, clock.now())),
    async take() {
      const now = clock.now();
      const due = await db
        .selectFrom("feed_pulls")
        .selectAll()
        .where("next_at", "<=", now)
        .where("taken_until", "<=", now)
        .orderBy("next_at")
        .limit(1)
        .executeTakeFirst();
      if (due === undefined) return undefined;
      // Of two processes that found it, only one changes the row.
      const taken = await db
        .updateTable("feed_pulls")
        .set({ taken_until: now + leaseMs, attempted_at: now })
        .where("source", "=", due.source)
        .where("url", "=", due.url)
        .where("taken_until", "<=", now)
        .executeTakeFirstOrThrow();
      return taken.numUpdatedRows === 1n ? { ...toState(due), attemptedAtMs: now } : undefined;
    },
    async renew(feed) {
      const renewed = await held(db, feed)
        // A renewal that arrives after the end of the import leaves the feed free.
        .where("taken_until", ">", 0)
        .set({ taken_until: clock.now() + leaseMs })
        .executeTakeFirst();
      return renewed.numUpdatedRows === 1n;
    },
    recordSuccess: (feed, { nextAtMs, result, version, isOverwriting }) =>
      transact(db, async (transaction) => {
        if (isOverwriting) {
          await transaction
            .updateTable("feed_pulls")
            .set(noVersion)
            .where("source", "=", feed.source)
            .execute();
        }
        await held(transaction, feed)
          .set({
            next_at: nextAtMs,
            taken_until: 0,
            failures: 0,
            succeeded_at: clock.now(),
            error: null,
            result: JSON.stringify(result),
            etag: version?.etag ?? null,
            last_modified: version?.lastModified ?? null,
          })
          .execute();
      }),
    async recordFailure(feed, { nextAtMs, error }) {
      await held(db, feed)
        .set((row) => ({
          next_at: nextAtMs,
          taken_until: 0,
          failures: row("failures", "+", 1),
          error: error.slice(0, maxErrorLength),
        }))
        .execute();
    },
    async release(feed) {
      await held(db, feed).set({ taken_until: 0 }).execute();
    },
    async list() {
      const rows = await db.selectFrom("feed_pulls").selectAll().orderBy("source").orderBy("url").execute();
      return rows.map(toState);
    },
  };
}

/** Its row, if the lease has not passed to another process. */
function held(db: Kysely<Database>, { source, url, attemptedAtMs }: TakenFeed) {
  return db
    .updateTable("feed_pulls")
    .where("source", "=", source)
    .where("url", "=", url)
    .where("attempted_at", "=", attemptedAtMs);
}

async function configure(
  db: Kysely<Database>,
  feeds: readonly ScheduledFeed[],
  nowMs: number,
): Promise<void> {
  for (const { source, url, periodMs, absent } of feeds) {
    const values = { period_ms: periodMs, absent };
    await db
      .insertInto("feed_pulls")
      .values({ source, url, ...values, next_at: nowMs, taken_until: 0, failures: 0, ...noVersion })
      .onConflict((conflict) => conflict.columns(["source", "url"]).doNothing())
      .execute();
    const known = db.updateTable("feed_pulls").where("source", "=", source).where("url", "=", url);
    // With another rule for absent products, an unchanged feed must be read again.
    await known
      .where("absent", "<>", absent)
      .set({ ...noVersion, next_at: nowMs })
      .execute();
    await known.set(values).execute();
    // A shorter period applies at once.
    const soonest = nowMs + periodMs;
    await known.where("next_at", ">", soonest).set({ next_at: soonest }).execute();
  }
  const kept = new Set(feeds.map(({ source, url }) => `${source} ${url}`));
  for (const { source, url } of await db.selectFrom("feed_pulls").select(["source", "url"]).execute()) {
    if (kept.has(`${source} ${url}`)) continue;
    await db.deleteFrom("feed_pulls").where("source", "=", source).where("url", "=", url).execute();
  }
}

function toState(row: Selectable<FeedPullsTable>): FeedState {
  const source = productSources.find((one) => one === row.source);
  const absent = absentRules.find((one) => one === row.absent);
  if (source === undefined || absent === undefined) {
    throw new Error(`The schedule of the feed ${row.url} cannot be read.`);
  }
  const hasVersion = row.etag !== null || row.last_modified !== null;
  return {
    source,
    url: row.url,
    periodMs: row.period_ms,
    absent,
    nextAtMs: row.next_at,
    failures: row.failures,
    ...(row.attempted_at !== null && { attemptedAtMs: row.attempted_at }),
    ...(row.succeeded_at !== null && { succeededAtMs: row.succeeded_at }),
    ...(row.error !== null && { error: row.error }),
    ...(row.result !== null && { result: toResult(row.result) }),
    ...(hasVersion && {
      version: {
        ...(row.etag !== null && { etag: row.etag }),
        ...(row.last_modified !== null && { lastModified: row.last_modified }),
      },
    }),
  };
}

/** Rows of a former release may lack a number. */
function toResult(text: string): PullResult {
  const rows = { rows: 0, refused: 0, duplicates: 0, notFound: 0, outdated: 0 };
  const products = { created: 0, updated: 0, unchanged: 0, failed: 0, removed: 0, outOfStock: 0 };
  return { notModified: false, ...rows, ...products, ...JSON.parse(text) };
}
