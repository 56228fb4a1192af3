import type Sqlite from "better-sqlite3";
import type { PriceEntry } from "../../domain/product.ts";

interface PriceRow {
  id: number;
  price_minor: number;
  at: number;
}

/** The newest `limit` prices of a product, newest last. `(select ?)`: see decision 0050. */
export function preparePriceHistory(
  connection: Sqlite.Database,
): (rowId: number, limit: number) => PriceEntry[] {
  const statement = connection.prepare<[number, number], PriceRow>(
    `select id, price_minor, at from price_history
     where product_row_id = (select ?) order by at desc limit (select ?)`,
  );
  return (rowId, limit) => statement.all(rowId, limit).reverse().map(toPriceEntry);
}

function toPriceEntry(row: PriceRow): PriceEntry {
  return { id: row.id.toString(16).padStart(24, "0"), priceMinor: row.price_minor, atMs: row.at };
}
