import type { RetryOutcome } from "@product-search/core/ports/dead-letters.ts";
import { type Kysely, sql } from "kysely";
import { numberChanges } from "../database/postgres/number-changes.ts";
import type { Database } from "../database/schema.ts";

type Outcome = Exclude<RetryOutcome, "absent">;

/** The same delivery, due at once: its list of attempts stays. */
export async function requeueDelivery(
  transaction: Kysely<Database>,
  deliveryId: string,
  nowMs: number,
): Promise<Outcome> {
  const { rows } = await sql<{ rowId: number; webhook: number; isDisabled: boolean; isVoided: boolean }>`
    select d.row_id as "rowId", w.row_id as webhook, w.disabled_at is not null as "isDisabled",
      d.row_id <= w.void_through as "isVoided"
    from deliveries d join webhooks w on w.row_id = d.webhook_row_id
    where d.id = ${deliveryId} and d.status = 'failed' and w.deleted_at is null
    for no key update`.execute(transaction);
  const [delivery] = rows;
  if (delivery === undefined) return "obsolete";
  if (delivery.isDisabled) return "disabled";
  if (delivery.isVoided && !(await forgetDisabling(transaction, delivery.webhook))) return "disabled";
  await transaction
    .updateTable("deliveries")
    .set({ status: "pending", due_at: nowMs })
    .where("row_id", "=", delivery.rowId)
    .execute();
  return "retried";
}

/** The mark of an earlier disabling. It must stay while there are deliveries that it voids. */
async function forgetDisabling(transaction: Kysely<Database>, webhook: number): Promise<boolean> {
  const forgotten = await sql`
    update webhooks set void_through = 0 where row_id = ${webhook} and not exists (
      select 1 from deliveries
      where webhook_row_id = webhooks.row_id and row_id <= webhooks.void_through and status = 'pending')`.execute(
    transaction,
  );
  return (forgotten.numAffectedRows ?? 0n) > 0n;
}

/** Due at once; the service's own images come first, as always. */
export async function requeuePicture(
  transaction: Kysely<Database>,
  address: string,
  nowMs: number,
): Promise<Outcome> {
  const requeued = await transaction
    .updateTable("pictures")
    .set({ state: "waiting", attempts: 0, due_at: address.startsWith("/") ? 0 : nowMs })
    .where("address", "=", address)
    .where("state", "=", "lost")
    .executeTakeFirst();
  return requeued.numUpdatedRows > 0n ? "retried" : "obsolete";
}

/** Adds a change, so that followers of the catalog read the product again. */
export async function requeueProduct(transaction: Kysely<Database>, productId: string): Promise<Outcome> {
  const product = await transaction
    .selectFrom("products")
    .select("row_id")
    .where("id", "=", productId)
    .executeTakeFirst();
  if (product === undefined) return "obsolete";
  await numberChanges(transaction, "changes", [product.row_id]);
  return "retried";
}
