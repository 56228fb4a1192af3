import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeadLetterQueue, DeadLetters, RetryOutcome } from "@product-search/core/ports/dead-letters.ts";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { numberChanges } from "../database/postgres/number-changes.ts";
import type { Database } from "../database/schema.ts";
import { asQueue, toCounts, toDeadLetter } from "./letters.ts";

const requeue: Record<Exclude<DeadLetterQueue, "imports">, typeof requeueDelivery> = {
  deliveries: requeueDelivery,
  pictures: requeueImage,
  products: requeueProduct,
};

const columns = [
  "row_id as rowId",
  "id",
  "queue",
  "item",
  "error",
  "failures",
  "created_at as createdAtMs",
] as const;

export function createPostgresDeadLetters({
  db,
  clock,
}: {
  db: Kysely<Database>;
  clock: Clock;
}): DeadLetters {
  const retry = async (transaction: Kysely<Database>, id: string): Promise<RetryOutcome> => {
    const row = await transaction
      .selectFrom("dead_letters")
      .select(columns)
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return "absent";
    const queue = asQueue(row.queue);
    if (queue === "imports")
      throw new Error("A product that could not be applied is retried by applying it.");
    const outcome = await requeue[queue](transaction, row.item, clock.now());
    if (outcome !== "disabled")
      await transaction.deleteFrom("dead_letters").where("row_id", "=", row.rowId).execute();
    return outcome;
  };

  return {
    async list({ limit, before = Number.MAX_SAFE_INTEGER }) {
      const rows = await db
        .selectFrom("dead_letters")
        .select(columns)
        .where("row_id", "<", before)
        .orderBy("row_id", "desc")
        .limit(limit + 1)
        .execute();
      const letters = rows.slice(0, limit).map(toDeadLetter);
      const last = rows[limit - 1];
      return { letters, ...(rows.length > limit && last !== undefined && { next: last.rowId }) };
    },
    retry: (id) => db.transaction().execute((transaction) => retry(transaction, id)),
    async inputOf(id) {
      const row = await db
        .selectFrom("dead_letters")
        .select("payload")
        .where("id", "=", id)
        .where("queue", "=", "imports")
        .executeTakeFirst();
      return row?.payload ? JSON.parse(row.payload) : undefined;
    },
    async count() {
      const rows = await db
        .selectFrom("dead_letters")
        .select((select) => ["queue", select.fn.countAll<number>().as("letters")])
        .groupBy("queue")
        .execute();
      return toCounts(rows);
    },
  };
}

type Outcome = Exclude<RetryOutcome, "absent">;

/** The same delivery, due at once: its list of attempts stays. */
async function requeueDelivery(
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
async function requeueImage(transaction: Kysely<Database>, address: string, nowMs: number): Promise<Outcome> {
  const requeued = await transaction
    .updateTable("pictures")
    .set({ state: "waiting", attempts: 0, due_at: address.startsWith("/") ? 0 : nowMs })
    .where("address", "=", address)
    .where("state", "=", "lost")
    .executeTakeFirst();
  return requeued.numUpdatedRows > 0n ? "retried" : "obsolete";
}

/** Adds a change, so that followers of the catalog read the product again. */
async function requeueProduct(transaction: Kysely<Database>, productId: string): Promise<Outcome> {
  const product = await transaction
    .selectFrom("products")
    .select("row_id")
    .where("id", "=", productId)
    .executeTakeFirst();
  if (product === undefined) return "obsolete";
  await numberChanges(transaction, "changes", [product.row_id]);
  return "retried";
}
