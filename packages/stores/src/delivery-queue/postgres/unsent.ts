import { maxFailures } from "@product-search/core/ports/dead-letters.ts";
import { type Kysely, sql } from "kysely";
import { addDeadLetter } from "../../database/postgres/add-dead-letter.ts";
import type { Database } from "../../database/schema.ts";
import type { InternalFailure } from "../internal-failure.ts";

/**
 * Plans the next attempt after an internal error. After `maxFailures` of these, the delivery becomes a dead letter.
 * False if another worker has it now.
 */
export async function recordUnsent(
  transaction: Kysely<Database>,
  { key, worker, dueAt, error, nowMs }: InternalFailure & { nowMs: number },
): Promise<boolean> {
  const { rows } = await sql<{ id: string; failures: number; isVoided: boolean }>`
    select d.id, d.failures + 1 as failures, w.deleted_at is not null or d.row_id <= w.void_through as "isVoided"
    from deliveries d join webhooks w on w.row_id = d.webhook_row_id
    where d.row_id = ${key} and d.worker = ${worker} for update of d`.execute(transaction);
  const [row] = rows;
  if (row === undefined) return false;
  const { id, failures, isVoided } = row;
  const isDead = failures % maxFailures === 0;
  await transaction
    .updateTable("deliveries")
    .set({ worker: null, failures, due_at: dueAt, status: isDead || isVoided ? "failed" : "pending" })
    .where("row_id", "=", key)
    .execute();
  if (isDead && !isVoided)
    await addDeadLetter(transaction, { queue: "deliveries", item: id, error, failures, atMs: nowMs });
  return true;
}
