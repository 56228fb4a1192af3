import type Sqlite from "better-sqlite3";
import { priorPriceWindowMs } from "../../domain/discount.ts";
import { productId } from "../../domain/identity.ts";
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

/** A product that is not there yet, ready to be written. */
interface Creation {
  readonly values: ReadonlyArray<ProductRow[(typeof productColumns)[number]]>;
  readonly prices: readonly PricePoint[];
}

interface Plan {
  readonly input: ProductInput;
  readonly id: string;
  readonly creation?: Creation;
  readonly unchanged?: boolean;
}

/**
 * The transaction holds up everybody else who writes, so what an input comes to is worked out before it where that is
 * possible. A product that turns out to be as it was is not looked at again: whoever changes it meanwhile came later.
 */
export function createApply({ connection, clock, outbox }: ApplySettings): Pick<CatalogStore, "apply"> {
  // The identifier is made of source and key, so that no other index has to know these.
  const byId = connection.prepare<[string], ProductRow>("select * from products where id = ?");
  const places = productColumns.map(() => "?").join(", ");
  // Whether it is there already is asked before the transaction: somebody else may have been faster since.
  const insert = connection.prepare(
    `insert into products (${productColumns.join(", ")}) values (${places}) on conflict (id) do nothing`,
  );
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

  const create = ({ values, prices }: Creation): boolean => {
    const { changes, lastInsertRowid } = insert.run(values);
    if (changes === 0) return false;
    const rowId = Number(lastInsertRowid);
    for (const { priceMinor, atMs } of prices) addPrice.run(rowId, priceMinor, atMs);
    addChange.run(rowId);
    return true;
  };
  const replace = (previous: StoredProduct, next: StoredProduct) => {
    const row = toRow(next);
    update.run([...changingColumns.map((column) => row[column]), next.rowId]);
    if (next.priceMinor !== previous.priceMinor) addPrice.run(next.rowId, next.priceMinor, next.priceSinceMs);
    addChange.run(next.rowId);
    outbox.record({ previous, current: next }, next.updatedAtMs);
  };
  const compare = (row: ProductRow, input: ProductInput, nowMs: number) => {
    const previous = fromRow(row);
    const next = nextProduct(previous, input, nowMs, (atMs) => pricesBefore(previous.rowId, atMs));
    return next === undefined ? undefined : { previous, next };
  };
  /**
   * What can be worked out while others may write. Of two inputs with one key, the later one has to wait for the first.
   * It reads in one transaction: each of its own would take and give back its locks for every product.
   */
  const planAll = connection.transaction((inputs: readonly ProductInput[], nowMs: number): Plan[] => {
    const seen = new Set<string>();
    return inputs.map((input) => {
      const id = productId(input.source, input.key);
      const { size } = seen;
      if (seen.add(id).size === size) return { input, id };
      const row = byId.get(id);
      if (row === undefined) return { input, id, creation: toCreation(input, id, nowMs) };
      return { input, id, unchanged: compare(row, input, nowMs) === undefined };
    });
  });
  const applyOne = ({ input, id, creation, unchanged }: Plan, nowMs: number): ApplyOutcome => {
    if (unchanged) return "unchanged";
    if (creation !== undefined && create(creation)) return "created";
    const row = byId.get(id);
    if (row === undefined) {
      create(toCreation(input, id, nowMs));
      return "created";
    }
    const change = compare(row, input, nowMs);
    if (change === undefined) return "unchanged";
    replace(change.previous, change.next);
    return "updated";
  };
  const applyAll = connection.transaction(
    (plans: readonly Plan[], nowMs: number, progress: ImportProgress | undefined) => {
      if (progress !== undefined && advance.run(progress.position, progress.owner).changes !== 1) {
        throw new ImportTakenOver();
      }
      return plans.map((planned) => applyOne(planned, nowMs));
    },
  );
  return {
    apply: async (inputs, progress) => {
      if (connection.inTransaction)
        throw new Error("apply needs a connection of its own: another transaction is open on it.");
      const nowMs = clock.now();
      return applyAll.immediate(planAll.deferred(inputs, nowMs), nowMs, progress);
    },
  };
}

function toCreation(input: ProductInput, id: string, nowMs: number): Creation {
  const { product, prices } = firstProduct(input, nowMs, id);
  const row = toRow(product);
  return { values: productColumns.map((column) => row[column]), prices };
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
