import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeadLetterQueue, DeadLetters, RetryOutcome } from "@product-search/core/ports/dead-letters.ts";
import type Sqlite from "better-sqlite3";
import { asQueue, type LetterRow, toCounts, toDeadLetter } from "./letters.ts";
import type { Requeue } from "./requeue.ts";
import { prepareRequeueDelivery } from "./requeue-delivery.ts";
import { prepareRequeuePicture } from "./requeue-picture.ts";
import { prepareRequeueProduct } from "./requeue-product.ts";

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
    pictures: prepareRequeuePicture(connection),
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
