import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  type DeadLetter,
  type DeadLetterQueue,
  type DeadLetters,
  deadLetterQueues,
  type RetryOutcome,
} from "@product-search/core/ports/webhooks.ts";
import { type Kysely, type Selectable, sql } from "kysely";
import { numberChanges } from "../database/postgres/number-changes.ts";
import type { Database, DeadLettersTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

export interface DeadLettersSettings {
  db: Kysely<Database>;
  clock: Clock;
}

/** Adds a change, so that followers of the catalog read the product again. */
type AddChange = (transaction: Kysely<Database>, productRowId: number) => Promise<unknown>;

export function createSqliteDeadLetters(settings: DeadLettersSettings): DeadLetters {
  return createDeadLetters(settings, (transaction, rowId) =>
    sql`insert or replace into changes (product_row_id) values (${rowId})`.execute(transaction),
  );
}

export function createPostgresDeadLetters(settings: DeadLettersSettings): DeadLetters {
  return createDeadLetters(settings, (transaction, rowId) => numberChanges(transaction, "changes", [rowId]));
}

/** Updates that change nothing lock the row in PostgreSQL; SQLite has one writer at a time. */
function createDeadLetters({ db, clock }: DeadLettersSettings, addChange: AddChange): DeadLetters {
  const retry = async (transaction: Kysely<Database>, id: string): Promise<RetryOutcome> => {
    const letter = await transaction
      .updateTable("dead_letters")
      .set((row) => ({ created_at: row.ref("created_at") }))
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (letter === undefined) return "absent";
    const outcome = await requeue(transaction, toDeadLetter(letter));
    if (outcome !== "disabled")
      await transaction.deleteFrom("dead_letters").where("row_id", "=", letter.row_id).execute();
    return outcome;
  };
  /** Puts the item back into its queue, unless it cannot go back now. */
  const requeue = async (transaction: Kysely<Database>, { queue, item }: DeadLetter) => {
    switch (queue) {
      case "deliveries":
        return requeueDelivery(transaction, item, clock.now());
      case "pictures":
        return requeueImage(transaction, item, clock.now());
      case "products": {
        const product = await transaction
          .selectFrom("products")
          .select("row_id")
          .where("id", "=", item)
          .executeTakeFirst();
        if (product) await addChange(transaction, product.row_id);
        return product ? "retried" : "obsolete";
      }
      case "imports":
        throw new Error("A product that could not be applied is retried by applying it.");
    }
  };

  return {
    async list({ limit, before = Number.MAX_SAFE_INTEGER }) {
      const rows = await db
        .selectFrom("dead_letters")
        .selectAll()
        .where("row_id", "<", before)
        .orderBy("row_id", "desc")
        .limit(limit + 1)
        .execute();
      const last = rows[limit - 1];
      return {
        letters: rows.slice(0, limit).map(toDeadLetter),
        ...(rows.length > limit && last !== undefined && { next: last.row_id }),
      };
    },
    retry: (id) => transact(db, (transaction) => retry(transaction, id)),
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
      const counts = { deliveries: 0, imports: 0, pictures: 0, products: 0 };
      for (const { queue, letters } of rows) counts[asQueue(queue)] = letters;
      return counts;
    },
  };
}

function toDeadLetter({
  id,
  queue,
  item,
  error,
  failures,
  created_at,
}: Selectable<DeadLettersTable>): DeadLetter {
  return { id, queue: asQueue(queue), item, error, failures, createdAtMs: created_at };
}

function asQueue(text: string): DeadLetterQueue {
  const queue = deadLetterQueues.find((one) => one === text);
  if (queue === undefined) throw new Error(`The store holds a dead letter of the unknown queue "${text}".`);
  return queue;
}

/** The same delivery, due at once: its list of attempts stays. */
async function requeueDelivery(transaction: Kysely<Database>, id: string, nowMs: number) {
  const delivery = await transaction
    .updateTable("deliveries")
    .set((row) => ({ due_at: row.ref("due_at") }))
    .where("id", "=", id)
    .where("status", "=", "failed")
    .returning(["row_id", "webhook_row_id"])
    .executeTakeFirst();
  if (delivery === undefined) return "obsolete";
  const webhook = await transaction
    .updateTable("webhooks")
    .set((row) => ({ created_at: row.ref("created_at") }))
    .where("row_id", "=", delivery.webhook_row_id)
    .where("deleted_at", "is", null)
    .returning(["row_id", "disabled_at", "void_through"])
    .executeTakeFirst();
  if (webhook === undefined) return "obsolete";
  if (webhook.disabled_at !== null) return "disabled";
  if (delivery.row_id <= webhook.void_through) {
    // The mark of an earlier disabling must stay while there are deliveries that it voids.
    const voided = await transaction
      .selectFrom("deliveries")
      .select("row_id")
      .where("webhook_row_id", "=", webhook.row_id)
      .where("row_id", "<=", webhook.void_through)
      .where("status", "=", "pending")
      .limit(1)
      .executeTakeFirst();
    if (voided) return "disabled";
    await transaction
      .updateTable("webhooks")
      .set({ void_through: 0 })
      .where("row_id", "=", webhook.row_id)
      .execute();
  }
  await transaction
    .updateTable("deliveries")
    .set({ status: "pending", due_at: nowMs })
    .where("row_id", "=", delivery.row_id)
    .execute();
  return "retried";
}

/** Due at once; the service's own images come first, as always. */
async function requeueImage(transaction: Kysely<Database>, address: string, nowMs: number) {
  const requeued = await transaction
    .updateTable("pictures")
    .set({ state: "waiting", attempts: 0, due_at: address.startsWith("/") ? 0 : nowMs })
    .where("address", "=", address)
    .where("state", "=", "lost")
    .executeTakeFirst();
  return requeued.numUpdatedRows > 0n ? "retried" : "obsolete";
}
