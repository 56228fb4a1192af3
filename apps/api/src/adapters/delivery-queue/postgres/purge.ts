import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

/** How many deliveries or events one transaction removes, so that it takes a few milliseconds. */
const purgeBatchSize = 200;
/** A change in progress may still refer to a webhook that was deleted meanwhile. */
const deletedForMs = 60_000;

/**
 * Removes the oldest rows and those of deleted webhooks, except deliveries in progress. Nodes may do so concurrently:
 * each skips what another one is removing.
 */
export function purgeDeliveries(db: Kysely<Database>, beforeMs: number, nowMs: number): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("webhook_former_keys").where("until", "<=", nowMs).execute();
    const old = await removeDeliveries(
      transaction,
      sql`created_at < ${beforeMs} and row_id < (select min(row_id) + 10000 from deliveries)`,
    );
    const left = await removeDeliveries(
      transaction,
      sql`webhook_row_id in (select row_id from webhooks where deleted_at is not null)`,
    );
    const events = await sql`
      delete from webhook_events where row_id in (
        select row_id from webhook_events e
        where created_at < ${beforeMs} and not exists (select 1 from deliveries where event_row_id = e.row_id)
        order by row_id limit ${purgeBatchSize} for update skip locked)`.execute(transaction);
    await removeWebhooks(transaction, nowMs);
    return old + left + (events.numAffectedRows ?? 0n) > 0n;
  });
}

async function removeDeliveries(
  transaction: Kysely<Database>,
  which: ReturnType<typeof sql>,
): Promise<bigint> {
  const removed = await sql`
    with removed as materialized (
      select row_id, id from deliveries where worker is null and ${which}
      order by row_id limit ${purgeBatchSize} for update skip locked),
    attempts as (delete from delivery_attempts where delivery_row_id in (select row_id from removed)),
    letters as (delete from dead_letters where queue = 'deliveries' and item in (select id from removed))
    delete from deliveries where row_id in (select row_id from removed)`.execute(transaction);
  return removed.numAffectedRows ?? 0n;
}

/** Events without any reference. */
async function removeWebhooks(transaction: Kysely<Database>, nowMs: number): Promise<void> {
  const { rows } = await sql<{ webhook: number }>`
    select row_id as webhook from webhooks w
    where deleted_at < ${nowMs - deletedForMs}::bigint
      and not exists (select 1 from deliveries where webhook_row_id = w.row_id)
    limit ${purgeBatchSize} for update skip locked`.execute(transaction);
  const webhooks = rows.map(({ webhook }) => webhook);
  if (webhooks.length === 0) return;
  await transaction.deleteFrom("webhook_products").where("webhook_row_id", "in", webhooks).execute();
  await transaction.deleteFrom("webhook_former_keys").where("webhook_row_id", "in", webhooks).execute();
  await transaction.deleteFrom("webhooks").where("row_id", "in", webhooks).execute();
}
