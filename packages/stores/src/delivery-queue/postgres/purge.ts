import type { Clock } from "@product-search/core/ports/clock.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

/** How many deliveries or events one transaction removes, so that it takes a few milliseconds. */
const purgeBatchSize = 200;
/** A change in progress may still refer to a webhook that was deleted meanwhile. */
const deletedForMs = 60_000;

/**
 * Removes the oldest rows and those of deleted webhooks, except deliveries in progress, each kind in a transaction of its own.
 * Nodes may do so concurrently: each skips what another one is removing.
 */
export function createPostgresPurge(
  db: Kysely<Database>,
  clock: Clock,
): (beforeMs: number) => Promise<boolean> {
  let lastEvent = 0;
  return async (beforeMs) => {
    await db.deleteFrom("webhook_former_keys").where("until", "<=", clock.now()).execute();
    const old = await removeDeliveries(
      db,
      sql`select row_id, id from deliveries
        where worker is null and created_at < ${beforeMs}
          and row_id < (select min(row_id) + 10000 from deliveries)
        order by row_id limit ${purgeBatchSize} for update skip locked`,
    );
    const left = await removeDeliveries(db, ofDeletedWebhooks);
    const events = await removeEvents(db, beforeMs, lastEvent);
    lastEvent = events.last ?? 0;
    await removeWebhooks(db, clock.now());
    return old + left > 0n || events.removed > 0 || lastEvent > 0;
  };
}

/**
 * Nothing more is read if no webhook is deleted. `between` instead of `=`, because then only the index of webhook and row has
 * this order: PostgreSQL would else read all rows in the order of their keys if few webhooks have most deliveries.
 */
const ofDeletedWebhooks = sql`
  select d.row_id, d.id
  from webhooks w
    cross join lateral (
      select row_id, id from deliveries
      where webhook_row_id between w.row_id and w.row_id and worker is null
      order by webhook_row_id, row_id limit ${purgeBatchSize} for update skip locked) d
  where w.deleted_at is not null limit ${purgeBatchSize}`;

async function removeDeliveries(db: Kysely<Database>, which: ReturnType<typeof sql>): Promise<bigint> {
  const removed = await sql`
    with removed as materialized (${which}),
    attempts as (delete from delivery_attempts where delivery_row_id in (select row_id from removed)),
    letters as (delete from dead_letters where queue = 'deliveries' and item in (select id from removed))
    delete from deliveries where row_id in (select row_id from removed)`.execute(db);
  return removed.numAffectedRows ?? 0n;
}

/**
 * Of the next events after `last`, those without deliveries. The first events may be old ones that replays use: the search
 * continues behind them, and begins again when it has reached an event that is not old.
 */
async function removeEvents(
  db: Kysely<Database>,
  beforeMs: number,
  last: number,
): Promise<{ removed: number; last: number | null }> {
  const { rows } = await sql<{ removed: number; last: number | null }>`
    with seen as materialized (
      select row_id, created_at < ${beforeMs} as is_old from webhook_events
      where row_id > ${last} order by row_id limit ${purgeBatchSize}),
    unused as materialized (
      select row_id from webhook_events e
      where row_id in (select row_id from seen where is_old)
        and (select min(event_row_id) from deliveries where event_row_id = e.row_id) is null
      for update skip locked),
    removed as (delete from webhook_events where row_id in (select row_id from unused) returning row_id)
    select (select count(*) from removed) as removed,
      (select max(row_id) from seen having count(*) = ${purgeBatchSize} and bool_and(is_old)) as last`.execute(
    db,
  );
  return rows[0] ?? { removed: 0, last: null };
}

/** Webhooks without any reference. */
function removeWebhooks(db: Kysely<Database>, nowMs: number): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ webhook: number }>`
      select row_id as webhook from webhooks w
      where deleted_at < ${nowMs - deletedForMs}::bigint
        and (select min(row_id) from deliveries where webhook_row_id = w.row_id) is null
      limit ${purgeBatchSize} for update skip locked`.execute(transaction);
    const webhooks = rows.map(({ webhook }) => webhook);
    if (webhooks.length === 0) return;
    await transaction.deleteFrom("webhook_products").where("webhook_row_id", "in", webhooks).execute();
    await transaction.deleteFrom("webhook_former_keys").where("webhook_row_id", "in", webhooks).execute();
    await transaction.deleteFrom("webhooks").where("row_id", "in", webhooks).execute();
  });
}
