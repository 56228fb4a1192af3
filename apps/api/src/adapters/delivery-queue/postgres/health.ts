import { type Kysely, sql } from "kysely";
import type { TaskResult } from "../../../ports/delivery-queue.ts";
import type { Database } from "../../database/schema.ts";

type Ended = Required<TaskResult>;

/**
 * Records since when targets have failed, and disables their webhooks if that is too long. Failed tests do not count.
 * Webhooks are written in the order of their keys, so that two workers never deadlock.
 */
export async function recordHealth(
  transaction: Kysely<Database>,
  ended: readonly Ended[],
  settings: { failingSinceMs: number; nowMs: number },
): Promise<void> {
  const byWebhook = Map.groupBy(ended, ({ task }) => task.webhook.key);
  for (const [webhook, results] of [...byWebhook].toSorted(([left], [right]) => left - right)) {
    let previous: string | undefined;
    for (const result of results) {
      const { verdict } = result.attempt;
      // After a success, another one changes nothing.
      if (verdict === "succeeded" && previous === "succeeded") continue;
      previous = verdict;
      if (verdict === "succeeded") await recordSuccess(transaction, webhook);
      else if (!result.task.test) await recordFailure(transaction, webhook, result, settings);
    }
  }
}

async function recordSuccess(transaction: Kysely<Database>, webhook: number): Promise<void> {
  await transaction
    .updateTable("webhooks")
    .set({ failing_since: null })
    .where("row_id", "=", webhook)
    .where("failing_since", "is not", null)
    .execute();
}

/** Voids every delivery that has a number by now, including those of uncommitted changes. */
async function recordFailure(
  transaction: Kysely<Database>,
  webhook: number,
  { attempt }: Ended,
  { failingSinceMs, nowMs }: { failingSinceMs: number; nowMs: number },
): Promise<void> {
  const reason = attempt.verdict === "failed" && attempt.gone === true ? "gone" : "failing";
  await sql`
    update webhooks set
      disabled_at = coalesce(disabled_at, ${nowMs}), disabled_reason = coalesce(disabled_reason, ${reason}),
      void_through = greatest(pg_sequence_last_value(pg_get_serial_sequence('deliveries', 'row_id')::regclass),
        (select max(row_id) from deliveries))
    where row_id = ${webhook}
      and (${reason} = 'gone' or (disabled_at is null and failing_since <= ${failingSinceMs}))`.execute(
    transaction,
  );
  await transaction
    .updateTable("webhooks")
    .set({ failing_since: attempt.attemptedAtMs })
    .where("row_id", "=", webhook)
    .where("failing_since", "is", null)
    .execute();
}
