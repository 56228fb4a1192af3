import type { Clock } from "@product-search/core/ports/clock.ts";
import type * as Sqlite from "../database/sqlite.ts";
import { isStoreError } from "../database/store-error.ts";

/** How many deliveries or events one transaction removes, so that it takes a few milliseconds. */
const purgeBatchSize = 200;

/** Removes the oldest rows and those of deleted webhooks, except deliveries in progress. */
export function createPurge(
  connection: Sqlite.Database,
  clock: Clock,
): (beforeMs: number) => Promise<boolean> {
  const old = connection.prepare<
    [number, number],
    { rowId: number; createdAt: number; worker: string | null }
  >(
    `select row_id as rowId, created_at as createdAt, worker from deliveries
     where created_at < ? and row_id < (select min(row_id) + 10000 from deliveries) order by row_id limit ?`,
  );
  const deleted = connection.prepare<[], { rowId: number }>(
    "select row_id as rowId from webhooks where deleted_at is not null limit 1",
  );
  const ofWebhook = connection.prepare<[number, number], { rowId: number; worker: string | null }>(
    "select row_id as rowId, worker from deliveries where webhook_row_id = ? limit ?",
  );
  const nextEvents = connection.prepare<[number, number], { rowId: number; createdAt: number }>(
    "select row_id as rowId, created_at as createdAt from webhook_events where row_id > ? order by row_id limit ?",
  );
  const removeUnused = connection.prepare<[number, number]>(
    "delete from webhook_events where row_id = ? and not exists (select 1 from deliveries where event_row_id = ?)",
  );
  const removeAttempts = connection.prepare<[number]>(
    "delete from delivery_attempts where delivery_row_id = ?",
  );
  const removeLetter = connection.prepare<[number]>(
    "delete from dead_letters where queue = 'deliveries' and item = (select id from deliveries where row_id = ?)",
  );
  const removeDelivery = connection.prepare<[number]>("delete from deliveries where row_id = ?");
  const removeNarrowing = connection.prepare<[number]>(
    "delete from webhook_products where webhook_row_id = ?",
  );
  const removeKeys = connection.prepare<[number]>("delete from webhook_former_keys where webhook_row_id = ?");
  const removeEndedKeys = connection.prepare<[number]>("delete from webhook_former_keys where until <= ?");
  const removeWebhook = connection.prepare<[number]>("delete from webhooks where row_id = ?");

  const removeOne = connection.transaction((rowId: number) => {
    removeAttempts.run(rowId);
    removeLetter.run(rowId);
    removeDelivery.run(rowId);
  });

  /** The number of removed rows. One that cannot be removed stays and does not block others. */
  const removeFree = (rows: readonly { rowId: number; worker: string | null }[]): number => {
    let removed = 0;
    for (const { rowId, worker } of rows) {
      if (worker !== null) continue;
      try {
        removeOne(rowId);
        removed += 1;
      } catch (error) {
        if (isStoreError(error)) throw error;
      }
    }
    return removed;
  };

  const purgeWebhook = (): boolean => {
    const webhook = deleted.get();
    if (webhook === undefined) return false;
    const rows = ofWebhook.all(webhook.rowId, purgeBatchSize);
    if (rows.length > 0) return removeFree(rows) > 0;
    removeNarrowing.run(webhook.rowId);
    removeKeys.run(webhook.rowId);
    removeWebhook.run(webhook.rowId);
    return true;
  };

  let lastEvent = 0;
  /**
   * Of the next events after the last one, those without deliveries. The first events may be old ones that replays use: the
   * search continues behind them, and begins again when it has reached an event that is not old.
   */
  const purgeEvents = (beforeMs: number): boolean => {
    const seen = nextEvents.all(lastEvent, purgeBatchSize);
    const old = seen.filter(({ createdAt }) => createdAt < beforeMs);
    const removed = old.filter(({ rowId }) => removeUnused.run(rowId, rowId).changes > 0);
    lastEvent = old.length === purgeBatchSize ? (old.at(-1)?.rowId ?? 0) : 0;
    return removed.length > 0 || lastEvent > 0;
  };

  const purge = connection.transaction((beforeMs: number): boolean => {
    removeEndedKeys.run(clock.now());
    const removedOld = removeFree(old.all(beforeMs, purgeBatchSize)) > 0;
    const hasMoreEvents = purgeEvents(beforeMs);
    return purgeWebhook() || removedOld || hasMoreEvents;
  });
  return async (beforeMs) => purge.immediate(beforeMs);
}
