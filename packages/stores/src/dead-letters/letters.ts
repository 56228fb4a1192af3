import {
  type DeadLetter,
  type DeadLetterQueue,
  deadLetterQueues,
} from "@product-search/core/ports/dead-letters.ts";

/** A dead letter in the form that both databases return. */
export interface LetterRow {
  rowId: number;
  id: string;
  queue: string;
  item: string;
  error: string;
  failures: number;
  createdAtMs: number;
}

export function toDeadLetter({ rowId: _, queue, ...row }: LetterRow): DeadLetter {
  return { ...row, queue: asQueue(queue) };
}

export function asQueue(text: string): DeadLetterQueue {
  const queue = deadLetterQueues.find((one) => one === text);
  if (queue === undefined) throw new Error(`The store holds a dead letter of the unknown queue "${text}".`);
  return queue;
}

/** Counts by queue, including queues without any. */
export function toCounts(
  rows: readonly { queue: string; letters: number }[],
): Record<DeadLetterQueue, number> {
  const byQueue = new Map(rows.map(({ queue, letters }) => [queue, letters]));
  const countOf = (queue: DeadLetterQueue) => byQueue.get(queue) ?? 0;
  return {
    deliveries: countOf("deliveries"),
    imports: countOf("imports"),
    pictures: countOf("pictures"),
    products: countOf("products"),
  };
}
