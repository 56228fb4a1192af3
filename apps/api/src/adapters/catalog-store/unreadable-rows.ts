import type { StoredProduct } from "../../domain/product.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NewDeadLetter } from "../database/new-dead-letter.ts";
import type { ProductRow } from "../database/product-columns.ts";
import { fromRow } from "./product-rows.ts";

/** Searches meet the same row again and again: it is told of once in so long a time. */
const tellEveryMs = 10_000;
const maxCachedTokens = 1000;

export type RowReader = (row: ProductRow) => StoredProduct | undefined;

/**
 * Reads rows. One that cannot be read, damaged or of a release that knows more, is left out and becomes a dead letter:
 * it must stop neither a search nor an index.
 */
export function createRowReader(
  clock: Clock,
  addDeadLetter: (letter: NewDeadLetter) => void | Promise<void>,
): RowReader {
  const toldAt = new Map<number, number>();

  const tell = (row: ProductRow, error: unknown) => {
    const nowMs = clock.now();
    if ((toldAt.get(row.row_id) ?? Number.NEGATIVE_INFINITY) > nowMs - tellEveryMs) return;
    if (toldAt.size >= maxCachedTokens) toldAt.clear();
    toldAt.set(row.row_id, nowMs);
    // Later: the row is often read inside a transaction that only reads.
    setImmediate(async () => {
      try {
        await addDeadLetter({ queue: "products", item: String(row.id), error, failures: 1, atMs: nowMs });
      } catch {
        // The disk is full, or the store was closed meanwhile: the row is told of when it is met again.
      }
    });
  };

  return (row) => {
    try {
      return fromRow(row);
    } catch (error) {
      tell(row, error);
      return undefined;
    }
  };
}
