import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { RemoveOutcome } from "@product-search/core/ports/catalog-store.ts";
import { type Kysely, sql } from "kysely";
import { recordEvents } from "../../database/postgres/outbox.ts";
import type { ProductRow } from "../../database/product-columns.ts";
import type { Database } from "../../database/schema.ts";
import { fromRow } from "../product-rows.ts";
import { lockProducts } from "./writes.ts";

export interface Removal {
  outcomes: RemoveOutcome[];
  changedRowIds: number[];
}

/**
 * Removes products and everything that belongs only to them, in the open transaction. The caller writes the change
 * log.
 */
export async function removeProducts(
  transaction: Kysely<Database>,
  ids: readonly string[],
  nowMs: number,
  presentation: Presentation,
): Promise<Removal> {
  // Retrying a dead letter of an import would create the product again.
  await sql`
    delete from dead_letters where queue in ('imports', 'products') and item = any(${ids}::text[])`.execute(
    transaction,
  );
  const rows = await lockProducts(
    transaction,
    ids.map((id) => ({ id })),
  );
  const soldOut = [...rows.values()].flatMap((row) => {
    const previous = readOrUndefined(row);
    if (previous === undefined || previous.availability === "out_of_stock") return [];
    return [{ previous, current: { ...previous, availability: "out_of_stock" as const } }];
  });
  // Before the price histories are deleted, because the events contain them.
  await recordEvents(transaction, soldOut, nowMs, presentation);
  const rowIds = [...rows.values()].map((row) => row.row_id);
  await sql`delete from price_history where product_row_id = any(${rowIds}::bigint[])`.execute(transaction);
  await sql`delete from products where row_id = any(${rowIds}::bigint[])`.execute(transaction);
  const left = new Map(rows);
  return {
    outcomes: ids.map((id) => (left.delete(id) ? "removed" : "absent")),
    changedRowIds: rowIds,
  };
}

/** A row that cannot be read is removed without an event, because its content is unknown. */
function readOrUndefined(row: ProductRow): StoredProduct | undefined {
  try {
    return fromRow(row);
  } catch {
    return undefined;
  }
}
