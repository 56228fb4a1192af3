import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeadLetterQueue, DeadLetters, RetryOutcome } from "@product-search/core/ports/dead-letters.ts";
import type Sqlite from "better-sqlite3";
import { asQueue, type LetterRow, toCounts, toDeadLetter } from "./letters.ts";

export function createSqliteDeadLetters({
  connection,
  clock,
}: {
  connection: Sqlite.Database;
  clock: Clock;
}): DeadLetters {
  const columns = "row_id as rowId, id, queue, item, error, failures, created_at as createdAtMs";
  const page = connection.prepare<[number, number], LetterRow>(
    `select ${columns} from dead_letters where row_id < ? order by row_id desc limit ?`,
  );
  const find = connection.prepare<[string], LetterRow>(`select ${columns} from dead_letters where id = ?`);
  const remove = connection.prepare<[number]>("delete from dead_letters where row_id = ?");
  const counts = connection.prepare<[], { queue: string; letters: number }>(
    "select queue, count(*) as letters from dead_letters group by queue",
  );
  const payload = connection.prepare<[string], { payload: string | null }>(
    "select payload from dead_letters where id = ? and queue = 'imports'",
  );
  const requeue: Record<Exclude<DeadLetterQueue, "imports">, Requeue> = {
    deliveries: prepareRequeueDelivery(connection),
    pictures: prepareRequeueImage(connection),
    products: prepareRequeueProduct(connection),
  };

  const retry = connection.transaction((id: string): RetryOutcome => {
    const row = find.get(id);
    if (row === undefined) return "absent";
    const queue = asQueue(row.queue);
    if (queue === "imports")
      throw new Error("A product that could not be applied is retried by applying it.");
    const outcome = requeue[queue](row.item, clock.now());
    if (outcome !== "disabled") remove.run(row.rowId);
    return outcome;
  });

  return {
    async list({ limit, before = Number.MAX_SAFE_INTEGER }) {
      const rows = page.all(before, limit + 1);
      const letters = rows.slice(0, limit).map(toDeadLetter);
      const last = rows[limit - 1];
      return { letters, ...(rows.length > limit && last !== undefined && { next: last.rowId }) };
    },
    retry: async (id) => retry.immediate(id),
    async inputOf(id) {
      const text = payload.get(id)?.payload;
      return text ? JSON.parse(text) : undefined;
    },
    count: async () => toCounts(counts.all()),
  };
}

interface DeliveryRow {
  rowId: number;
  webhook: number;
  isDisabled: number;
  isVoided: number;
}

/** The same delivery, due at once: its list of attempts stays. */
function prepareRequeueDelivery(connection: Sqlite.Database): Requeue {
  const find = connection.prepare<[string], DeliveryRow>(
    `select d.row_id as rowId, w.row_id as webhook, w.disabled_at is not null as isDisabled,
       d.row_id <= w.void_through as isVoided
     from deliveries d join webhooks w on w.row_id = d.webhook_row_id
     where d.id = ? and d.status = 'failed' and w.deleted_at is null`,
  );
  // The mark of an earlier disabling. It must stay while there are deliveries that it voids.
  const forget = connection.prepare<[number]>(
    `update webhooks set void_through = 0 where row_id = ? and not exists (
       select 1 from deliveries
       where webhook_row_id = webhooks.row_id and row_id <= webhooks.void_through and status = 'pending')`,
  );
  const requeue = connection.prepare<[number, number]>(
    "update deliveries set status = 'pending', due_at = ? where row_id = ?",
  );
  return (deliveryId, nowMs) => {
    const delivery = find.get(deliveryId);
    if (delivery === undefined) return "obsolete";
    if (delivery.isDisabled !== 0) return "disabled";
    if (delivery.isVoided !== 0 && forget.run(delivery.webhook).changes === 0) return "disabled";
    requeue.run(nowMs, delivery.rowId);
    return "retried";
  };
}

/** Due at once; the service's own images come first, as always. */
function prepareRequeueImage(connection: Sqlite.Database): Requeue {
  const requeue = connection.prepare<[number, string]>(
    `update pictures set state = 'waiting', attempts = 0, due_at = iif(address like '/%', 0, ?)
     where address = ? and state = 'lost'`,
  );
  return (address, nowMs) => (requeue.run(nowMs, address).changes > 0 ? "retried" : "obsolete");
}

/** Adds a change, so that followers of the catalog read the product again. */
function prepareRequeueProduct(connection: Sqlite.Database): Requeue {
  const touch = connection.prepare<[string]>(
    "insert or replace into changes (product_row_id) select row_id from products where id = ?",
  );
  return (productId) => (touch.run(productId).changes > 0 ? "retried" : "obsolete");
}

/** Puts an item back into its queue and removes the dead letter, unless the item cannot go back now. */
type Requeue = (item: string, nowMs: number) => Exclude<RetryOutcome, "absent">;
