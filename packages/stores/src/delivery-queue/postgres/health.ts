import type { TaskResult } from "@product-search/core/ports/delivery-queue.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

type Ended = Required<TaskResult>;

/**
 * Records since when targets have failed, and disables their webhooks if that is too long. Failed tests do not count.
 * The results of one webhook are recorded in their order.
 */
export async function recordHealth(
  transaction: Kysely<Database>,
  ended: readonly Ended[],
  settings: { failingSinceMs: number; nowMs: number },
): Promise<void> {
  const byWebhook = [...Map.groupBy(ended, ({ task }) => task.webhook.key)];
  const isHealthy = ([, results]: [number, Ended[]]) =>
    results.every(({ attempt }) => attempt.verdict === "succeeded");
  await recordSuccess(
    transaction,
    byWebhook.filter(isHealthy).map(([webhook]) => webhook),
  );
  const others = byWebhook.filter((one) => !isHealthy(one)).toSorted(([left], [right]) => left - right);
  for (const [webhook, results] of others) {
    for (const result of results) {
      if (result.attempt.verdict === "succeeded") await recordSuccess(transaction, [webhook]);
      else if (!result.task.test) await recordFailure(transaction, webhook, result, settings);
    }
  }
}

async function recordSuccess(transaction: Kysely<Database>, webhooks: readonly number[]): Promise<void> {
  if (webhooks.length === 0) return;
  await transaction
    .updateTable("webhooks")
    .set({ failing_since: null })
    .where("row_id", "in", webhooks)
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
