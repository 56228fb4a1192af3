import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

/** How many deliveries of a disabled webhook are marked as failed in one batch. */
const voidBatchSize = 200;

/** Voids the deliveries of disabled webhooks in batches, then clears the marks of their disabling. */
export async function voidDeliveries(
  transaction: Kysely<Database>,
  webhooks: readonly number[],
): Promise<void> {
  const disabled = await sql<{ webhook: number; last: number }>`
    select row_id as webhook, void_through as last from webhooks
    where row_id = any(${webhooks}::bigint[]) and void_through > 0 order by row_id`.execute(transaction);
  for (const { webhook, last } of disabled.rows) await voidThrough(transaction, webhook, last);
}

async function voidThrough(transaction: Kysely<Database>, webhook: number, last: number): Promise<void> {
  const marked = await sql`
    update deliveries set status = 'failed' where row_id in (
      select row_id from deliveries
      where webhook_row_id = ${webhook} and status = 'pending' and worker is null and row_id <= ${last}
      limit ${voidBatchSize} for update skip locked)`.execute(transaction);
  if (marked.numAffectedRows === BigInt(voidBatchSize)) return;
  // Disabled again meanwhile, or an attempt is still in progress: the mark stays.
  await sql`
    update webhooks set void_through = 0 where row_id = ${webhook} and void_through = ${last} and not exists (
      select 1 from deliveries
      where webhook_row_id = ${webhook} and row_id <= ${last} and status = 'pending')`.execute(transaction);
}
