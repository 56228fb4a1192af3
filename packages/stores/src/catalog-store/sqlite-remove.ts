import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { RemoveOutcome } from "@product-search/core/ports/catalog-store.ts";
import type Sqlite from "better-sqlite3";
import type { Outbox } from "../database/outbox.ts";
import type { ProductRow } from "../database/product-columns.ts";
import { fromRow } from "./product-rows.ts";

/** Removes one product and everything that belongs only to it. Call it inside a transaction. */
export function prepareRemove(
  connection: Sqlite.Database,
  outbox: Outbox,
): (id: string, nowMs: number) => RemoveOutcome {
  const byId = connection.prepare<[string], ProductRow>("select * from products where id = ?");
  const removePrices = connection.prepare<[number]>("delete from price_history where product_row_id = ?");
  const removeProduct = connection.prepare<[number]>("delete from products where row_id = ?");
  const addChange = connection.prepare<[number]>(
    "insert or replace into changes (product_row_id) values (?)",
  );
  // Retrying a dead letter of an import would create the product again.
  const removeLetters = connection.prepare<[string]>(
    "delete from dead_letters where queue in ('imports', 'products') and item = ?",
  );
  return (id, nowMs) => {
    removeLetters.run(id);
    const row = byId.get(id);
    if (row === undefined) return "absent";
    const previous = readOrUndefined(row);
    // Before the price history is deleted, because the event contains it.
    if (previous !== undefined && previous.availability !== "out_of_stock") {
      outbox.record({ previous, current: { ...previous, availability: "out_of_stock" } }, nowMs);
    }
    removePrices.run(row.row_id);
    removeProduct.run(row.row_id);
    addChange.run(row.row_id);
    return "removed";
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
