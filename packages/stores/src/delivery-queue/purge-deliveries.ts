import type { Clock } from "@product-search/core/ports/clock.ts";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

/** How many deliveries or events one transaction removes, so that it takes a few milliseconds. */
const purgeBatchSize = 200;
/** A change in progress may still refer to a webhook that was deleted meanwhile. */
const deletedForMs = 60_000;

/**
 * Removes the oldest rows and those of deleted webhooks, except deliveries in progress, each kind in a transaction of its own. For
 * SQLite and PostgreSQL, where nodes may do so concurrently: with `lock`, each skips what another one is removing.
 */
export function createPurge(
  db: Kysely<Database>,
  clock: Clock,
  lock: RawBuilder<unknown> = sql``,
): (beforeMs: number) => Promise<boolean> {
  let lastEvent = 0;
  return async (beforeMs) => {
    await db.deleteFrom("webhook_former_keys").where("until", "<=", clock.now()).execute();
    let removed = await removeDeliveries(
      db,
      sql`select row_id, id from deliveries
        where worker is null and created_at < ${beforeMs}
          and row_id < (select min(row_id) + 10000 from deliveries)
        order by row_id limit ${purgeBatchSize} ${lock}`,
    );
    const deleted = await db
      .selectFrom("webhooks")
      .select("row_id as webhook")
      .where("deleted_at", "is not", null)
      .limit(purgeBatchSize)
      .execute();
    // `between` instead of `=`, because then only the index of webhook and row has this order: PostgreSQL would else read
    // all rows in the order of their keys if few webhooks have most deliveries.
    for (const { webhook } of deleted)
      removed += await removeDeliveries(
        db,
        sql`select row_id, id from deliveries
          where webhook_row_id between ${webhook} and ${webhook} and worker is null
          order by webhook_row_id, row_id limit ${purgeBatchSize} ${lock}`,
      );
    const events = await removeEvents(db, lock, beforeMs, lastEvent);
    lastEvent = events.last;
    await removeWebhooks(db, lock, clock.now());
    return removed + events.removed + lastEvent > 0;
  };
}

function removeDeliveries(
  db: Kysely<Database>,
  which: RawBuilder<{ row_id: number; id: string }>,
): Promise<number> {
  return transact(db, async (transaction) => {
    const { rows } = await which.execute(transaction);
    if (rows.length === 0) return 0;
    const rowIds = rows.map(({ row_id }) => row_id);
    const ids = rows.map(({ id }) => id);
    await transaction.deleteFrom("delivery_attempts").where("delivery_row_id", "in", rowIds).execute();
    await transaction
      .deleteFrom("dead_letters")
      .where("queue", "=", "deliveries")
      .where("item", "in", ids)
      .execute();
    await transaction.deleteFrom("deliveries").where("row_id", "in", rowIds).execute();
    return rows.length;
  });
}

/**
 * Of the next events after `last`, those without deliveries. The first events may be old ones that replays use: the search
 * continues behind them, and begins again when it has reached an event that is not old.
 */
function removeEvents(
  db: Kysely<Database>,
  lock: RawBuilder<unknown>,
  beforeMs: number,
  last: number,
): Promise<{ removed: number; last: number }> {
  return transact(db, async (transaction) => {
    const seen = await transaction
      .selectFrom("webhook_events")
      .select(["row_id", "created_at"])
      .where("row_id", ">", last)
      .orderBy("row_id")
      .limit(purgeBatchSize)
      .execute();
    const old = seen.filter(({ created_at }) => created_at < beforeMs).map(({ row_id }) => row_id);
    if (old.length === 0) return { removed: 0, last: 0 };
    const { rows } = await sql<{ row_id: number }>`
      select row_id from webhook_events e
      where row_id in (${sql.join(old)})
        and (select min(event_row_id) from deliveries where event_row_id = e.row_id) is null
      ${lock}`.execute(transaction);
    const unused = rows.map(({ row_id }) => row_id);
    if (unused.length > 0)
      await transaction.deleteFrom("webhook_events").where("row_id", "in", unused).execute();
    return { removed: unused.length, last: old.length === purgeBatchSize ? (old.at(-1) ?? 0) : 0 };
  });
}

/** Webhooks without any reference. */
function removeWebhooks(db: Kysely<Database>, lock: RawBuilder<unknown>, nowMs: number): Promise<void> {
  return transact(db, async (transaction) => {
    const { rows } = await sql<{ webhook: number }>`
      select row_id as webhook from webhooks w
      where deleted_at < ${nowMs - deletedForMs}
        and (select min(row_id) from deliveries where webhook_row_id = w.row_id) is null
      limit ${purgeBatchSize} ${lock}`.execute(transaction);
    const webhooks = rows.map(({ webhook }) => webhook);
    if (webhooks.length === 0) return;
    await transaction.deleteFrom("webhook_products").where("webhook_row_id", "in", webhooks).execute();
    await transaction.deleteFrom("webhook_former_keys").where("webhook_row_id", "in", webhooks).execute();
    await transaction.deleteFrom("webhooks").where("row_id", "in", webhooks).execute();
  });
}
