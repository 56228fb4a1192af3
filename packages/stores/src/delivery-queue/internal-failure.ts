import type { Clock } from "@product-search/core/ports/clock.ts";
import { maxFailures } from "@product-search/core/ports/dead-letters.ts";
import { prepareDeadLetter } from "../database/new-dead-letter.ts";
import type * as Sqlite from "../database/sqlite.ts";

export interface InternalFailure {
  key: number;
  worker: string;
  dueAt: number;
  error: string;
}

interface FailedDelivery {
  id: string;
  failures: number;
  isVoided: number;
}

/**
 * Plans the next attempt after an internal error. After `maxFailures` of these, the delivery becomes a dead letter.
 * False if another worker has it now.
 */
export function prepareInternalFailure(
  connection: Sqlite.Database,
  clock: Clock,
): (internalFailure: InternalFailure) => boolean {
  const find = connection.prepare<[number, string], FailedDelivery>(
    `select d.id, d.failures + 1 as failures, w.deleted_at is not null or d.row_id <= w.void_through as isVoided
     from deliveries d join webhooks w on w.row_id = d.webhook_row_id where d.row_id = ? and d.worker = ?`,
  );
  const recordResult = connection.prepare<[number, number, string, number]>(
    "update deliveries set worker = null, failures = ?, due_at = ?, status = ? where row_id = ?",
  );
  const addDeadLetter = prepareDeadLetter(connection);
  return ({ key, worker, dueAt, error }) => {
    const row = find.get(key, worker);
    if (row === undefined) return false;
    const { id, failures, isVoided } = row;
    const isDead = failures % maxFailures === 0;
    recordResult.run(failures, dueAt, isDead || isVoided !== 0 ? "failed" : "pending", key);
    if (isDead && isVoided === 0)
      addDeadLetter({ queue: "deliveries", item: id, error, failures, atMs: clock.now() });
    return true;
  };
}
