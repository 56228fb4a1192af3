import type { WantedTasks } from "@product-search/core/ports/delivery-queue.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { type TakenElsewhere, withinRoom } from "../room.ts";

/**
 * Reduces the wanted tasks to the limits, minus those of other workers. Until the transaction ends, nobody else
 * leases tasks of these accounts. An account that another worker has locked is skipped until the next poll.
 */
export async function lockRoom(
  transaction: Kysely<Database>,
  wanted: readonly WantedTasks[],
  worker: string,
): Promise<Pick<WantedTasks, "webhook" | "count">[]> {
  const accountIds = [...new Set(wanted.map(({ webhook }) => webhook.accountId))];
  const locked = await sql<{ id: string }>`
    select id from accounts where id = any(${accountIds}::text[]) for no key update skip locked`.execute(
    transaction,
  );
  const free = new Set(locked.rows.map(({ id }) => id));
  // A separate statement after the locks, so that it sees what the former holders of the locks have committed. It asks worker
  // by worker, so that PostgreSQL uses the index of taken deliveries even without statistics of the table.
  const elsewhere = await sql<TakenElsewhere>`
    select taken.webhook, w.account_id as "accountId", taken.tasks
    from delivery_workers o
      cross join lateral (
        select webhook_row_id as webhook, count(*) as tasks from deliveries where worker = o.id group by 1) taken
      join webhooks w on w.row_id = taken.webhook
    where o.id <> ${worker}`.execute(transaction);
  return withinRoom(
    wanted.filter(({ webhook }) => free.has(webhook.accountId)),
    elsewhere.rows,
  );
}
