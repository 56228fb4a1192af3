import type Sqlite from "better-sqlite3";
import { type Kysely, sql } from "kysely";
import { type ProductRow, productColumns } from "../database/product-columns.ts";
import type { Database } from "../database/schema.ts";

export interface ChangeRow {
  sequence: number;
  rowId: number;
}

interface PriceRow {
  id: number;
  product_row_id: number;
  price_minor: number;
  at: number;
}

/**
 * Reads the changed products from PostgreSQL in the snapshot that the changes are from. The result writes them in the open
 * transaction of the copy.
 */
export type CopyBatch = (snapshot: Kysely<Database>, changes: readonly ChangeRow[]) => Promise<() => void>;

/** The current products, and their new prices since they were copied last. */
export function createProductCopying(connection: Sqlite.Database): CopyBatch {
  const columns = ["row_id", ...productColumns] as const;
  const upsert = connection.prepare(
    `insert into products (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})
     on conflict (row_id) do update set ${productColumns.map((column) => `${column} = excluded.${column}`).join(", ")}`,
  );
  const remove = connection.prepare<[number]>("delete from products where row_id = ?");
  const removePrices = connection.prepare<[number]>("delete from price_history where product_row_id = ?");
  const addPrice = connection.prepare<[number, number, number, number]>(
    "insert or ignore into price_history (id, product_row_id, price_minor, at) values (?, ?, ?, ?)",
  );
  const lastPrice = connection
    .prepare<[number], number>("select coalesce(max(id), 0) from price_history where product_row_id = ?")
    .pluck();
  const addChange = connection.prepare<[number, number]>(
    "insert or replace into changes (sequence, product_row_id) values (?, ?)",
  );

  return async (snapshot, changes) => {
    const rowIds = changes.map(({ rowId }) => rowId);
    const lastPrices = rowIds.map((rowId) => lastPrice.get(rowId) ?? 0);
    const products = await sql<ProductRow>`
      select * from products where row_id = any(${rowIds}::bigint[])`.execute(snapshot);
    const prices = await sql<PriceRow>`
      select h.id, h.product_row_id, h.price_minor, h.at
      from unnest(${rowIds}::bigint[], ${lastPrices}::bigint[]) wanted (row_id, last_id)
      join price_history h on h.product_row_id = wanted.row_id and h.id > wanted.last_id`.execute(snapshot);
    return () => {
      const present = new Set(products.rows.map(({ row_id }) => row_id));
      for (const rowId of rowIds) {
        if (present.has(rowId)) continue;
        removePrices.run(rowId);
        remove.run(rowId);
      }
      for (const row of products.rows) upsert.run(columns.map((column) => row[column]));
      for (const { id, product_row_id, price_minor, at } of prices.rows)
        addPrice.run(id, product_row_id, price_minor, at);
      for (const { sequence, rowId } of changes) addChange.run(sequence, rowId);
    };
  };
}
