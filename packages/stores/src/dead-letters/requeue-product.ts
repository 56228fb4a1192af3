import type Sqlite from "better-sqlite3";
import type { Requeue } from "./requeue.ts";

/** Adds a change, so that followers of the catalog read the product again. */
export function prepareRequeueProduct(connection: Sqlite.Database): Requeue {
  const touch = connection.prepare<[string]>(
    "insert or replace into changes (product_row_id) select row_id from products where id = ?",
  );
  return (productId) => (touch.run(productId).changes > 0 ? "retried" : "obsolete");
}
