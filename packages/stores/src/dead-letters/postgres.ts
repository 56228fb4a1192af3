import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeadLetterQueue, DeadLetters, RetryOutcome } from "@product-search/core/ports/dead-letters.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";
import { asQueue, toCounts, toDeadLetter } from "./letters.ts";
import { requeueDelivery, requeuePicture, requeueProduct } from "./postgres-requeue.ts";

const requeue: Record<Exclude<DeadLetterQueue, "imports">, typeof requeueDelivery> = {
  deliveries: requeueDelivery,
  pictures: requeuePicture,
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
