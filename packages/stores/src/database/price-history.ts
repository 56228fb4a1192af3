import type { PriceEntry } from "@product-search/core/domain/product.ts";
import type { PriceHistoryRange } from "@product-search/core/ports/catalog-store.ts";
import type * as Sqlite from "./sqlite.ts";

/** The newest `limit` prices of a product, newest last. `(select ?)` as in `catalog-store/sqlite.ts`. */
export function preparePriceHistory(
  connection: Sqlite.Database,
): (rowId: number, limit: number) => PriceEntry[] {
  const statement = connection.prepare<[number, number], PriceRow>(
    `select id, price_minor, at from price_history
     where product_row_id = (select ?) order by at desc limit (select ?)`,
  );
  return (rowId, limit) => statement.all(rowId, limit).reverse().map(toPriceEntry);
}

/** The oldest `limit` prices of a product within a range, oldest first. */
export function preparePriceHistoryRange(
  connection: Sqlite.Database,
): (rowId: number, range: PriceHistoryRange, limit: number) => PriceEntry[] {
  const statement = connection.prepare<[number, number, number, number, number, number], PriceRow>(
    `select id, price_minor, at from price_history
     where product_row_id = (select ?) and at >= (select ?) and at <= (select ?) and (at, id) > ((select ?), (select ?))
     order by at, id limit (select ?)`,
  );
  return (rowId, { fromMs = leastTime, toMs = greatestTime, after }, limit) => {
    const [afterMs, afterId] = after === undefined ? [leastTime, 0] : [after.atMs, toPriceRowId(after.id)];
    const least = Math.max(fromMs, afterMs);
    return statement.all(rowId, least, toMs, afterMs, afterId, limit).map(toPriceEntry);
  };
}

export interface PriceRow {
  id: number;
  price_minor: number;
  at: number;
}

export const leastTime = Number.MIN_SAFE_INTEGER;
export const greatestTime = Number.MAX_SAFE_INTEGER;

export function toPriceEntry(row: PriceRow): PriceEntry {
  return { id: row.id.toString(16).padStart(24, "0"), priceMinor: row.price_minor, atMs: row.at };
}

export function toPriceRowId(id: string): number {
  return Number.parseInt(id, 16);
}
