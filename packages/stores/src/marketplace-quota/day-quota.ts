import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import { type DayQuota, hourMs, hoursCounted } from "@product-search/core/ports/quotas.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";

export interface DayQuotaSettings {
  db: Kysely<Database>;
  clock: Clock;
  marketplace: Marketplace;
  /** Makes the others wait until the transaction ends. SQLite has only one writer at a time and needs no lock. */
  lock?(transaction: Kysely<Database>): Promise<unknown>;
}

/** Counts in the database, so that neither a restart nor other processes and nodes exceed the quota. */
export function createSqlDayQuota({ db, clock, marketplace, lock }: DayQuotaSettings): DayQuota {
  return {
    take: (perDay, count) =>
      db.transaction().execute(async (transaction) => {
        await lock?.(transaction);
        const hour = Math.floor(clock.now() / hourMs);
        await transaction
          .deleteFrom("marketplace_requests")
          .where("marketplace", "=", marketplace)
          .where("hour", "<=", hour - hoursCounted)
          .execute();
        const { used } = await transaction
          .selectFrom("marketplace_requests")
          .select(({ fn }) => fn.sum("count").as("used"))
          .where("marketplace", "=", marketplace)
          .executeTakeFirstOrThrow();
        const got = Math.max(0, Math.min(count, perDay - Number(used ?? 0)));
        if (got > 0)
          await transaction
            .insertInto("marketplace_requests")
            .values({ marketplace, hour, count: got })
            .onConflict((conflict) =>
              conflict
                .columns(["marketplace", "hour"])
                .doUpdateSet({ count: sql`marketplace_requests.count + excluded.count` }),
            )
            .execute();
        return got;
      }),
  };
}
