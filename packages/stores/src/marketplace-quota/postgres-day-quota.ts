import { hourMs, hoursCounted } from "@product-search/core/domain/day-quota-hours.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DayQuota } from "@product-search/core/ports/day-quota.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
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
