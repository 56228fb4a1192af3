import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import { type DayQuota, hourMs, hoursCounted } from "@product-search/core/ports/quotas.ts";
import type * as Sqlite from "../database/sqlite.ts";

/** Counts in the store, so that neither a restart nor a second process exceeds the quota. */
export function createSqliteDayQuota({
  connection,
  clock,
  marketplace,
}: {
  connection: Sqlite.Database;
  clock: Clock;
  marketplace: Marketplace;
}): DayQuota {
  const forget = connection.prepare("delete from marketplace_requests where marketplace = ? and hour <= ?");
  const used = connection
    .prepare("select coalesce(sum(count), 0) from marketplace_requests where marketplace = ?")
    .pluck();
  const add = connection.prepare(
    `insert into marketplace_requests (marketplace, hour, count) values (?, ?, ?)
     on conflict (marketplace, hour) do update set count = count + excluded.count`,
  );
  const take = connection.transaction((perDay: number, count: number): number => {
    const hour = Math.floor(clock.now() / hourMs);
    forget.run(marketplace, hour - hoursCounted);
    const got = Math.max(0, Math.min(count, perDay - Number(used.get(marketplace))));
    if (got > 0) add.run(marketplace, hour, got);
    return got;
  });
  return { take: async (perDay, count) => take.immediate(perDay, count) };
}
