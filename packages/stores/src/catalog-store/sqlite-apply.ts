import { productId } from "@product-search/core/domain/identity.ts";
import { firstProduct, nextProduct } from "@product-search/core/domain/next-product.ts";
import { priorPriceWindowMs } from "@product-search/core/domain/price/money.ts";
import type { PricePoint, ProductInput, StoredProduct } from "@product-search/core/domain/product.ts";
import {
  type ApplyOutcome,
  type CatalogStore,
  type EachOutcome,
  ImportLeaseLostError,
  type ImportProgress,
  type RemoveOutcome,
} from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { prepareDeadLetter } from "../database/new-dead-letter.ts";
import type { Outbox } from "../database/outbox.ts";
import { changingColumns, type ProductRow, productColumns } from "../database/product-columns.ts";
import type * as Sqlite from "../database/sqlite.ts";
import { isStoreError } from "../database/transact.ts";
import { type Cell, fromRow, readOrUndefined, toCells } from "./catalog-rows.ts";

export interface ApplySettings {
  /** A transaction that other code has open on it is waited for. It must end soon, and without this store. */
  connection: Sqlite.Database;
  clock: Clock;
  /** Called with every change, inside its transaction. */
  outbox: Outbox;
}

interface Plan {
  readonly input: ProductInput;
  readonly id: string;
  readonly creation?: Creation;
  readonly unchanged?: boolean;
}

/**
 * The transaction blocks all other writers, so as much as possible is computed before it. A product that has not
 * changed is not checked again: a writer that changes it meanwhile came later.
 */
export function createApply({
  connection,
  clock,
  outbox,
}: ApplySettings): Pick<CatalogStore, "apply" | "applyEach" | "remove" | "setPopularity"> {
  const writes = prepareProductWrites(connection, outbox);
  const letters = prepareImportLetters(connection);
  const advance = prepareAdvance(connection);
  const isOutdated = prepareIsOutdated(connection);
  /**
   * What can be computed while others may write. If two inputs have the same key, the later one waits for the first.
   * It reads in one transaction, because separate reads would lock and unlock the database for every product.
   */
  const planAll = connection.transaction((inputs: readonly ProductInput[], nowMs: number): Plan[] => {
    const seen = new Set<string>();
    return inputs.map((input) => {
      const id = productId(input.source, input.key);
      const { size } = seen;
      if (seen.add(id).size === size) return { input, id };
      const row = writes.find(id);
      if (row === undefined) return { input, id, creation: toCreation(input, id, nowMs) };
      return { input, id, unchanged: writes.compare(row, input, nowMs) === undefined };
    });
  });
  const applyAll = connection.transaction(
    (plans: readonly Plan[], nowMs: number, progress: ImportProgress | undefined) => {
      advance(progress);
      if (letters.exist()) for (const { id } of plans) letters.remove(id);
      return plans.map(
        (plan): ApplyOutcome => (isOutdated(plan.id, progress) ? "outdated" : applyPlan(writes, plan, nowMs)),
      );
    },
  );
  const applyEach = prepareApplyEach(connection, writes, letters);
  const eachInTurn = connection.transaction(
    (inputs: readonly ProductInput[], nowMs: number, progress: ImportProgress | undefined) => {
      advance(progress);
      return inputs.map(
        (input): EachOutcome =>
          isOutdated(productId(input.source, input.key), progress) ? "outdated" : applyEach(input, nowMs),
      );
    },
  );
  const removeOne = prepareRemove(connection, outbox);
  const removeAll = connection.transaction(
    (ids: readonly string[], nowMs: number, progress: ImportProgress | undefined) => {
      advance(progress);
      return ids.map((id): RemoveOutcome => (isOutdated(id, progress) ? "outdated" : removeOne(id, nowMs)));
    },
  );
  const setPopularity = connection.prepare<[number, number]>(
    "update products set popularity = ? where row_id = ?",
  );
  const addChange = connection.prepare<[number]>(
    "insert or replace into changes (product_row_id) values (?)",
  );
  const setAll = connection.transaction((values: readonly { rowId: number; popularity: number }[]) => {
    for (const { rowId, popularity } of values)
      if (setPopularity.run(popularity, rowId).changes > 0) addChange.run(rowId);
  });
  return {
    apply: async (inputs, progress) => {
      await connection.untilFree();
      const nowMs = clock.now();
      return applyAll.soon(planAll.deferred(inputs, nowMs), nowMs, progress);
    },
    applyEach: (inputs, progress) => eachInTurn.soon(inputs, clock.now(), progress),
    setPopularity: (values) => setAll.soon(values),
    remove: (ids, progress) => removeAll.soon(ids, clock.now(), progress),
  };
}

function prepareAdvance(connection: Sqlite.Database): (progress: ImportProgress | undefined) => void {
  const advance = connection.prepare<[number, string]>("update imports set position = ? where owner = ?");
  return (progress) => {
    if (progress === undefined) return;
    if (advance.run(progress.position, progress.owner).changes !== 1) throw new ImportLeaseLostError();
  };
}

/** Inside the transaction: who notes a product later also writes it later. */
function prepareIsOutdated(
  connection: Sqlite.Database,
): (id: string, progress: ImportProgress | undefined) => boolean {
  const written = connection
    .prepare<[string], number>("select at from written_products where product_id = ?")
    .pluck();
  return (id, progress) => progress !== undefined && (written.get(id) ?? 0) > progress.startedAtMs;
}

function applyPlan(
  writes: ProductWrites,
  { input, id, creation, unchanged }: Plan,
  nowMs: number,
): ApplyOutcome {
  if (unchanged) return "unchanged";
  if (creation !== undefined && writes.create(creation)) return "created";
  const row = writes.find(id);
  if (row === undefined) {
    writes.create(toCreation(input, id, nowMs));
    return "created";
  }
  const change = writes.compare(row, input, nowMs);
  if (change === undefined) return "unchanged";
  writes.replace(change);
  return "updated";
}

/**
 * Applies one input in a savepoint of the open transaction. If it fails, it becomes a dead letter and changes
 * nothing.
 */
function prepareApplyEach(
  connection: Sqlite.Database,
  writes: ProductWrites,
  letters: ImportLetters,
): (input: ProductInput, nowMs: number) => EachOutcome {
  const applyOne = connection.transaction((input: ProductInput, id: string, nowMs: number): EachOutcome => {
    letters.remove(id);
    const row = writes.find(id);
    if (row === undefined) {
      writes.create(toCreation(input, id, nowMs));
      return "created";
    }
    let change: Change | undefined;
    try {
      change = writes.compare(row, input, nowMs);
    } catch {
      writes.repair(row, input, nowMs);
      letters.removeUnreadable(id);
      return "updated";
    }
    if (change === undefined) return "unchanged";
    writes.replace(change);
    return "updated";
  });
  return (input, nowMs) => {
    const id = productId(input.source, input.key);
    try {
      return applyOne(input, id, nowMs);
    } catch (error) {
      if (isStoreError(error)) throw error;
      letters.add(id, input, error, nowMs);
      return "failed";
    }
  };
}

/** Removes one product and everything that belongs only to it. Call it inside a transaction. */
function prepareRemove(
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

/** Dead letters of products that could not be applied. */
interface ImportLetters {
  /** Fast enough for every batch. */
  exist(): boolean;
  add(productId: string, input: ProductInput, error: unknown, atMs: number): void;
  /** A later input of the product was applied, so the earlier one must not be applied any more. */
  remove(productId: string): void;
  /** The product's row can be read again. */
  removeUnreadable(productId: string): void;
}

function prepareImportLetters(connection: Sqlite.Database): ImportLetters {
  const addDeadLetter = prepareDeadLetter(connection);
  const any = connection.prepare("select 1 from dead_letters where queue = 'imports' limit 1");
  const failures = connection.prepare<[string], { failures: number }>(
    "select failures from dead_letters where queue = 'imports' and item = ?",
  );
  const remove = connection.prepare<[string, string]>(
    "delete from dead_letters where queue = ? and item = ?",
  );
  return {
    exist: () => any.get() !== undefined,
    add(productId, input, error, atMs) {
      const failed = (failures.get(productId)?.failures ?? 0) + 1;
      const payload = JSON.stringify(input);
      addDeadLetter({ queue: "imports", item: productId, error, failures: failed, atMs, payload });
    },
    remove: (productId) => void remove.run("imports", productId),
    removeUnreadable: (productId) => void remove.run("products", productId),
  };
}

/** Where the values of `changingColumns` are among those of `productColumns`. */
const changingPlaces = changingColumns.map((column) => productColumns.indexOf(column));

/** A new product, ready to be written. */
interface Creation {
  readonly values: readonly Cell[];
  readonly prices: readonly PricePoint[];
}

interface Change {
  readonly previous: StoredProduct;
  readonly next: StoredProduct;
}

/** The statements for an input. All except `find` and `compare` belong in a transaction. */
interface ProductWrites {
  find(id: string): ProductRow | undefined;
  /** The change; undefined if the input changes nothing. Throws if the row cannot be read. */
  compare(row: ProductRow, input: ProductInput, nowMs: number): Change | undefined;
  /** False if another writer was faster. */
  create(creation: Creation): boolean;
  replace(change: Change): void;
  /** Overwrites a row that cannot be read. There is no event, because the former content is unknown. */
  repair(row: ProductRow, input: ProductInput, nowMs: number): void;
}

function toCreation(input: ProductInput, id: string, nowMs: number): Creation {
  const { product, prices } = firstProduct(input, nowMs, id);
  return { values: toCells(product), prices };
}

/** `outbox` is called with every change, inside its transaction. */
function prepareProductWrites(connection: Sqlite.Database, outbox: Outbox): ProductWrites {
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
