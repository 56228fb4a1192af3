import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { NewDeadLetter } from "../database/new-dead-letter.ts";
import type { ProductRow } from "../database/product-columns.ts";
import { fromRow } from "./product-rows.ts";

/** Searches read the same row again and again: it is reported at most once per this time. */
const tellEveryMs = 10_000;
const maxCachedTokens = 1000;

export type RowReader = (row: ProductRow) => StoredProduct | undefined;

/**
 * Reads rows. A row that cannot be read, because it is damaged or from a newer release, is left out and becomes a
 * dead letter, so that it stops neither a search nor an index.
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
    // Not at once, because the row is often read in a read-only transaction.
    setImmediate(async () => {
      try {
        await addDeadLetter({ queue: "products", item: String(row.id), error, failures: 1, atMs: nowMs });
      } catch {
        // The disk is full, or the database was closed meanwhile: the row is reported the next time it is read.
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
