import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { DeadLetterQueue } from "@product-search/core/ports/dead-letters.ts";
import type { MemoryDatabase, MemoryLetter } from "./memory.ts";

export interface NewMemoryLetter {
  queue: DeadLetterQueue;
  item: string;
  error: unknown;
  failures: number;
  nowMs: number;
  /** The input that a retry of an import applies. */
  input?: ProductInput;
}

export function findLetter(
  { tables }: MemoryDatabase,
  queue: DeadLetterQueue,
  item: string,
): [number, MemoryLetter] | undefined {
  return tables.letters.find((letter) => letter.queue === queue && letter.item === item);
}

/**
 * Replaces the dead letter of the item, if there is one. Call it in the transaction that removes the item from its
 * queue.
 */
export function addLetter(
  database: MemoryDatabase,
  { error, nowMs, input, ...letter }: NewMemoryLetter,
): void {
  removeLetter(database, letter.queue, letter.item);
  const row = database.next("letters");
  database.tables.letters.set(row, {
    ...letter,
    id: `dead_${row}`,
    error: error instanceof Error ? error.message : String(error),
    createdAtMs: nowMs,
    ...(input && { input }),
  });
}

export function removeLetter(database: MemoryDatabase, queue: DeadLetterQueue, item: string): void {
  const found = findLetter(database, queue, item);
  if (found) database.tables.letters.delete(found[0]);
}
