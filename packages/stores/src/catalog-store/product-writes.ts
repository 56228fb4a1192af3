import { firstProduct, nextProduct } from "@product-search/core/domain/next-product.ts";
import { priorPriceWindowMs } from "@product-search/core/domain/price/money.ts";
import type { PricePoint, ProductInput, StoredProduct } from "@product-search/core/domain/product.ts";
import type { Outbox } from "../database/outbox.ts";
import { changingColumns, type ProductRow, productColumns } from "../database/product-columns.ts";
import type * as Sqlite from "../database/sqlite.ts";
import { type Cell, fromRow, toCells } from "./catalog-rows.ts";

/** Where the values of `changingColumns` are among those of `productColumns`. */
const changingPlaces = changingColumns.map((column) => productColumns.indexOf(column));

/** A new product, ready to be written. */
export interface Creation {
  readonly values: readonly Cell[];
  readonly prices: readonly PricePoint[];
}

export interface Change {
  readonly previous: StoredProduct;
  readonly next: StoredProduct;
}

/** The statements for an input. All except `find` and `compare` belong in a transaction. */
export interface ProductWrites {
  find(id: string): ProductRow | undefined;
  /** The change; undefined if the input changes nothing. Throws if the row cannot be read. */
  compare(row: ProductRow, input: ProductInput, nowMs: number): Change | undefined;
  /** False if another writer was faster. */
  create(creation: Creation): boolean;
  replace(change: Change): void;
  /** Overwrites a row that cannot be read. There is no event, because the former content is unknown. */
  repair(row: ProductRow, input: ProductInput, nowMs: number): void;
}

export function toCreation(input: ProductInput, id: string, nowMs: number): Creation {
  const { product, prices } = firstProduct(input, nowMs, id);
  return { values: toCells(product), prices };
}

/** `outbox` is called with every change, inside its transaction. */
export function prepareProductWrites(connection: Sqlite.Database, outbox: Outbox): ProductWrites {
  // The identifier is derived from source and key, so these need no index.
  const byId = connection.prepare<[string], ProductRow>("select * from products where id = ?");
  const places = productColumns.map(() => "?").join(", ");
  // The existence was checked before the transaction, so another writer may have created it since.
  const insert = connection.prepare(
    `insert into products (${productColumns.join(", ")}) values (${places}) on conflict (id) do nothing`,
  );
  const update = connection.prepare(
    `update products set ${changingColumns.map((column) => `${column} = ?`).join(", ")} where row_id = ?`,
  );
  const updateAll = connection.prepare(
    `update products set ${productColumns.map((column) => `${column} = ?`).join(", ")} where row_id = ?`,
  );
  const addPrice = connection.prepare<[number, number, number]>(
    "insert into price_history (product_row_id, price_minor, at) values (?, ?, ?)",
  );
  const addChange = connection.prepare<[number]>(
    "insert or replace into changes (product_row_id) values (?)",
  );
  const pricesBefore = preparePricesBefore(connection);

  return {
    find: (id) => byId.get(id),
    compare(row, input, nowMs) {
      const previous = fromRow(row);
      const next = nextProduct(previous, input, nowMs, (atMs) => pricesBefore(previous.rowId, atMs));
      return next === undefined ? undefined : { previous, next };
    },
    create({ values, prices }) {
      const { changes, lastInsertRowid } = insert.run(values);
      if (changes === 0) return false;
      const rowId = Number(lastInsertRowid);
      for (const { priceMinor, atMs } of prices) addPrice.run(rowId, priceMinor, atMs);
      addChange.run(rowId);
      return true;
    },
    replace({ previous, next }) {
      const cells = toCells(next);
      update.run([...changingPlaces.map((place) => cells[place]), next.rowId]);
      if (next.priceMinor !== previous.priceMinor)
        addPrice.run(next.rowId, next.priceMinor, next.priceSinceMs);
      addChange.run(next.rowId);
      outbox.record({ previous, current: next }, next.updatedAtMs);
    },
    repair(row, input, nowMs) {
      const { values } = toCreation({ ...input, formerPrices: [] }, row.id, nowMs);
      updateAll.run([...values, row.row_id]);
      addPrice.run(row.row_id, input.priceMinor, nowMs);
      addChange.run(row.row_id);
    },
  };
}

/** `(select @…)` hides the values from the query planner: `createReads` in `sqlite.ts` says why. */
function preparePricesBefore(connection: Sqlite.Database): (rowId: number, atMs: number) => PricePoint[] {
  const statement = connection.prepare<{ rowId: number; atMs: number; windowStartMs: number }, PricePoint>(
    `select price_minor as priceMinor, at as atMs from price_history
     where product_row_id = (select @rowId) and at < (select @atMs) and at >= coalesce(
       (select max(at) from price_history where product_row_id = (select @rowId) and at <= (select @windowStartMs)), 0)
     order by at`,
  );
  return (rowId, atMs) => statement.all({ rowId, atMs, windowStartMs: atMs - priorPriceWindowMs });
}
