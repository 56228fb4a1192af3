import { priorPriceWindowMs } from "@product-search/core/domain/price/discount.ts";
import type { PriceEntry, PricePoint } from "@product-search/core/domain/product.ts";
import type { PriceHistoryRange } from "@product-search/core/ports/catalog-store.ts";
import { type Kysely, sql } from "kysely";
import { greatestTime, leastTime, type PriceRow, toPriceEntry, toPriceRowId } from "../price-history.ts";
import type { Database } from "../schema.ts";

interface PriceRowOfProduct extends PriceRow {
  rowId: number;
}

/** The newest `limit` prices of each product, newest last, in the order of `rowIds`. */
export async function newestPrices(
  db: Kysely<Database>,
  rowIds: readonly number[],
  limit: number,
): Promise<PriceEntry[][]> {
  if (rowIds.length === 0) return [];
  const found = await sql<PriceRowOfProduct>`
    select wanted.row_id as "rowId", h.* from unnest(${rowIds}::bigint[]) wanted (row_id)
    cross join lateral (select id, price_minor, at from price_history
      where product_row_id = wanted.row_id order by at desc, id desc limit ${limit}) h
    order by h.at, h.id`.execute(db);
  const byProduct = Map.groupBy(found.rows, ({ rowId }) => rowId);
  return rowIds.map((rowId) => (byProduct.get(rowId) ?? []).map(toPriceEntry));
}

/** The oldest `limit` prices of a product within a range, oldest first. */
export async function pricesWithin(
  db: Kysely<Database>,
  rowId: number,
  { fromMs = leastTime, toMs = greatestTime, after }: PriceHistoryRange,
  limit: number,
): Promise<PriceEntry[]> {
  const [afterMs, afterId] = after === undefined ? [leastTime, 0] : [after.atMs, toPriceRowId(after.id)];
  const found = await sql<PriceRow>`
    select id, price_minor, at from price_history
    where product_row_id = ${rowId} and at >= ${Math.max(fromMs, afterMs)} and at <= ${toMs}
      and (at, id) > (${afterMs}::bigint, ${afterId}::bigint)
    order by at, id limit ${limit}`.execute(db);
  return found.rows.map(toPriceEntry);
}

/** The prices of each product since the one in effect 30 days before its current price, oldest first. */
export async function pricesOfWindow(
  db: Kysely<Database>,
  products: readonly { rowId: number; priceSinceMs: number }[],
): Promise<Map<number, PricePoint[]>> {
  const rowIds = products.map(({ rowId }) => rowId);
  const starts = products.map(({ priceSinceMs }) => priceSinceMs - priorPriceWindowMs);
  const found = await sql<PricePoint & { rowId: number }>`
    select h.product_row_id as "rowId", h.price_minor as "priceMinor", h.at as "atMs"
    from unnest(${rowIds}::bigint[], ${starts}::bigint[]) wanted (row_id, start)
    join price_history h on h.product_row_id = wanted.row_id and h.at >= coalesce(
      (select max(at) from price_history where product_row_id = wanted.row_id and at <= wanted.start), 0)
    order by h.at, h.id`.execute(db);
  return Map.groupBy(found.rows, ({ rowId }) => rowId);
}
