import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import { type DayQuota, type SecondQuota, secondMs } from "@product-search/core/ports/quotas.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { createSqlDayQuota, type DayQuotaSettings } from "./day-quota.ts";

/** One node at a time counts for a marketplace. */
export function createPostgresDayQuota(settings: Omit<DayQuotaSettings, "lock">): DayQuota {
  const { marketplace } = settings;
  return createSqlDayQuota({
    ...settings,
    lock: (transaction) =>
      sql`select pg_advisory_xact_lock(hashtextextended('quota of ' || ${marketplace}, 0))`.execute(
        transaction,
      ),
  });
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
