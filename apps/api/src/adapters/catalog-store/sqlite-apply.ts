import type Sqlite from "better-sqlite3";
import { priorPriceWindowMs } from "../../domain/discount.ts";
import { firstProduct, nextProduct } from "../../domain/next-product.ts";
import type { PricePoint, ProductInput, StoredProduct } from "../../domain/product.ts";
import {
  type ApplyOutcome,
  type CatalogStore,
  type ImportProgress,
  ImportTakenOver,
} from "../../ports/catalog-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Outbox } from "../database/outbox.ts";
import { fromRow, type ProductRow, productColumns, toRow } from "./product-rows.ts";

/** Left out of updates: naming an indexed column makes SQLite write its index entry anew. */
const fixedColumns: readonly string[] = ["source", "key", "id", "slug", "created_at"];
const changingColumns = productColumns.filter((column) => !fixedColumns.includes(column));

export interface ApplySettings {
  /** `apply` needs it to itself: no transaction of someone else's may be open on it meanwhile. */
  connection: Sqlite.Database;
  clock: Clock;
  /** Told of every change inside the transaction that makes it. */
  outbox: Outbox;
}

export function createApply({ connection, clock, outbox }: ApplySettings): Pick<CatalogStore, "apply"> {
  const byKey = connection.prepare<[string, string], ProductRow>(
    "select * from products where source = ? and key = ?",
  );
  const places = productColumns.map(() => "?").join(", ");
  const insert = connection.prepare(`insert into products (${productColumns.join(", ")}) values (${places})`);
  const update = connection.prepare(
    `update products set ${changingColumns.map((column) => `${column} = ?`).join(", ")} where row_id = ?`,
  );
  const addPrice = connection.prepare<[number, number, number]>(
    "insert into price_history (product_row_id, price_minor, at) values (?, ?, ?)",
  );
  const addChange = connection.prepare<[number]>(
    "insert or replace into changes (product_row_id) values (?)",
  );
  const advance = connection.prepare<[number, string]>("update imports set position = ? where owner = ?");
  const pricesBefore = preparePricesBefore(connection);

  const create = (input: ProductInput, nowMs: number) => {
    const { product, prices } = firstProduct(input, nowMs);
    const row = toRow(product);
    const rowId = Number(insert.run(productColumns.map((column) => row[column])).lastInsertRowid);
    for (const { priceMinor, atMs } of prices) addPrice.run(rowId, priceMinor, atMs);
    addChange.run(rowId);
  };
  const replace = (previous: StoredProduct, next: StoredProduct) => {
    const row = toRow(next);
    update.run([...changingColumns.map((column) => row[column]), next.rowId]);
    if (next.priceMinor !== previous.priceMinor) addPrice.run(next.rowId, next.priceMinor, next.priceSinceMs);
    addChange.run(next.rowId);
    outbox.record({ previous, current: next }, next.updatedAtMs);
  };
  const applyOne = (input: ProductInput, nowMs: number): ApplyOutcome => {
    const row = byKey.get(input.source, input.key);
    if (row === undefined) {
      create(input, nowMs);
      return "created";
    }
    const previous = fromRow(row);
    const next = nextProduct(previous, input, nowMs, (atMs) => pricesBefore(previous.rowId, atMs));
    if (next === undefined) return "unchanged";
    replace(previous, next);
    return "updated";
  };
  const applyAll = connection.transaction((inputs: readonly ProductInput[], progress?: ImportProgress) => {
    if (progress !== undefined && advance.run(progress.position, progress.owner).changes !== 1) {
      throw new ImportTakenOver();
    }
    const nowMs = clock.now();
    return inputs.map((input) => applyOne(input, nowMs));
  });
  return {
    apply: async (inputs, progress) => {
      if (connection.inTransaction)
        throw new Error("apply needs a connection of its own: another transaction is open on it.");
      return applyAll.immediate(inputs, progress);
    },
  };
}

/** `(select @…)`: see decision 0050. */
function preparePricesBefore(connection: Sqlite.Database): (rowId: number, atMs: number) => PricePoint[] {
  const statement = connection.prepare<{ rowId: number; atMs: number; windowStartMs: number }, PricePoint>(
    `select price_minor as priceMinor, at as atMs from price_history
     where product_row_id = (select @rowId) and at < (select @atMs) and at >= coalesce(
       (select max(at) from price_history where product_row_id = (select @rowId) and at <= (select @windowStartMs)), 0)
     order by at`,
  );
  return (rowId, atMs) => statement.all({ rowId, atMs, windowStartMs: atMs - priorPriceWindowMs });
}
