import { secondMs } from "@product-search/core/mechanisms/local-second-quota.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import { type DayQuota, hourMs, hoursCounted, type SecondQuota } from "@product-search/core/ports/quotas.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";

/** Counts in the database, so that all nodes together stay within the quota. */
export function createPostgresDayQuota({
  db,
  clock,
  marketplace,
}: {
  db: Kysely<Database>;
  clock: Clock;
  marketplace: Marketplace;
}): DayQuota {
  return {
    take: (perDay, count) =>
      db.transaction().execute(async (transaction) => {
        // One at a time counts for a marketplace; until the commit the others wait.
        await sql`select pg_advisory_xact_lock(hashtextextended('quota of ' || ${marketplace}, 0))`.execute(
          transaction,
        );
        const hour = Math.floor(clock.now() / hourMs);
        await transaction
          .deleteFrom("marketplace_requests")
          .where("marketplace", "=", marketplace)
          .where("hour", "<=", hour - hoursCounted)
          .execute();
        const used = await sql<{ used: number }>`
          select coalesce(sum(count), 0) as used from marketplace_requests where marketplace = ${marketplace}`.execute(
          transaction,
        );
        const got = Math.max(0, Math.min(count, perDay - (used.rows[0]?.used ?? 0)));
        if (got > 0) {
          await sql`
            insert into marketplace_requests as r (marketplace, hour, count) values (${marketplace}, ${hour}, ${got})
            on conflict (marketplace, hour) do update set count = r.count + excluded.count`.execute(
            transaction,
          );
        }
        return got;
      }),
  };
}

/**
 * For all nodes. One statement for each request to the marketplace, which takes a hundred times as long. `sent` holds the times of the
 * last `perSecond` requests; the row's lock makes nodes reserve one after the other.
 */
export function createPostgresSecondQuota({
  db,
  clock,
  marketplace,
}: {
  db: Kysely<Database>;
  clock: Clock;
  marketplace: Marketplace;
}): SecondQuota {
  return {
    async reserve(perSecond, minWaitMs, maxWaitMs) {
      const now = clock.now();
      const soonest = Math.ceil(now + minWaitMs);
      const latest = Math.floor(now + maxWaitMs);
      const time = sql`greatest(${soonest}::bigint, t.sent[cardinality(t.sent)], coalesce(t.sent[cardinality(t.sent) - ${perSecond - 1}], 0) + ${secondMs}::bigint)`;
      const { rows } = await sql<{ at: number }>`
        insert into marketplace_turns as t (marketplace, sent, at)
        values (${marketplace}, case when ${soonest} <= ${latest} then array[${soonest}::bigint] else '{}' end, ${soonest})
        on conflict (marketplace) do update set at = ${time},
          sent = case when ${time} > ${latest} then t.sent
            else (t.sent || ${time})[greatest(1, cardinality(t.sent) + 2 - ${perSecond}):] end
        returning at`.execute(db);
      return Math.max(0, (rows[0]?.at ?? soonest) - now);
    },
  };
}
