import { productId } from "@product-search/core/domain/identity.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { firstProduct, type NewProduct, nextProduct } from "@product-search/core/domain/next-product.ts";
import type { PricePoint, ProductInput } from "@product-search/core/domain/product.ts";
import type { ProductChange } from "@product-search/core/domain/webhook-event.ts";
import {
  type ApplyOutcome,
  type CatalogStore,
  type EachOutcome,
  ImportLeaseLostError,
  type ImportProgress,
  type RemoveOutcome,
} from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { type Kysely, sql } from "kysely";
import { addDeadLetter } from "../../database/new-dead-letter.ts";
import { retryDeadlocks } from "../../database/postgres/errors.ts";
import { numberChanges } from "../../database/postgres/number-changes.ts";
import { recordEvents } from "../../database/postgres/outbox.ts";
import { pricesOfWindow } from "../../database/postgres/postgres-tables.ts";
import { changingColumns, type ProductRow, productColumns } from "../../database/product-columns.ts";
import type { Database } from "../../database/schema.ts";
import { inSavepoint, transact } from "../../database/transact.ts";
import { type Cell, fromRow, readOrUndefined, toCells } from "../catalog-rows.ts";

export interface PostgresApplySettings {
  db: Kysely<Database>;
  clock: Clock;
  presentation: Presentation;
}

interface Applied<Outcome> {
  outcomes: Outcome[];
  changedRowIds: number[];
}

/**
 * The rows of the products stay locked until the commit: another writer of the same product waits, and then compares
 * with the new state. So a late writer never overwrites a newer state.
 */
export function createPostgresApply({
  db,
  clock,
  presentation,
}: PostgresApplySettings): Pick<CatalogStore, "apply" | "applyEach" | "remove" | "setPopularity"> {
  const inOneTransaction = <Outcome>(
    progress: ImportProgress | undefined,
    work: (transaction: Kysely<Database>, nowMs: number) => Promise<Applied<Outcome>>,
  ): Promise<Outcome[]> =>
    retryDeadlocks(() =>
      transact(db, async (transaction) => {
        await advance(transaction, progress);
        const { outcomes, changedRowIds } = await work(transaction, clock.now());
        await numberChanges(transaction, "changes", changedRowIds);
        return outcomes;
      }),
    );
  const applyOne = async (
    transaction: Kysely<Database>,
    input: ProductInput,
    nowMs: number,
    progress: ImportProgress | undefined,
  ): Promise<Applied<ApplyOutcome>> => {
    const id = productId(input.source, input.key);
    await removeImportLetters(transaction, [id]);
    const row = (await lockProducts(transaction, [{ id }])).get(id);
    if (row === undefined || isReadable(row))
      return applyBatch(transaction, [input], nowMs, presentation, progress);
    if ((await outdatedProducts(transaction, [{ id }], progress)).has(id))
      return { outcomes: ["outdated"], changedRowIds: [] };
    await repairProduct(transaction, row, input, nowMs);
    await removeUnreadableLetter(transaction, id);
    return { outcomes: ["updated"], changedRowIds: [row.row_id] };
  };
  const applyOneTolerantly = async (
    transaction: Kysely<Database>,
    input: ProductInput,
    nowMs: number,
    progress: ImportProgress | undefined,
  ): Promise<Applied<EachOutcome>> => {
    return inSavepoint<Applied<EachOutcome>>(
      transaction,
      () => applyOne(transaction, input, nowMs, progress),
      async (error) => {
        await addImportLetter(transaction, input, error, nowMs);
        return { outcomes: ["failed"], changedRowIds: [] };
      },
    );
  };

  return {
    apply: (inputs, progress) =>
      inOneTransaction(progress, async (transaction, nowMs) => {
        await removeImportLetters(
          transaction,
          inputs.map(({ source, key }) => productId(source, key)),
        );
        return inTurn(rounds(inputs), (round) =>
          applyBatch(transaction, round, nowMs, presentation, progress),
        );
      }),
    applyEach: (inputs, progress) =>
      inOneTransaction(progress, (transaction, nowMs) =>
        inTurn<ProductInput, EachOutcome>(inputs, (input) =>
          applyOneTolerantly(transaction, input, nowMs, progress),
        ),
      ),
    setPopularity: async (values) => {
      await inOneTransaction(undefined, async (transaction) => {
        // In one order, so that two writers do not deadlock.
        const ordered = values.toSorted((one, other) => one.rowId - other.rowId);
        const updated = await sql<{ row_id: number }>`
          update products set popularity = v.popularity
          from unnest(${ordered.map(({ rowId }) => rowId)}::bigint[],
            ${ordered.map(({ popularity }) => popularity)}::integer[]) v (row_id, popularity)
          where products.row_id = v.row_id returning products.row_id`.execute(transaction);
        return { outcomes: [], changedRowIds: updated.rows.map(({ row_id }) => row_id) };
      });
    },
    remove: (ids, progress) =>
      inOneTransaction(progress, (transaction, nowMs) =>
        removeProducts(transaction, ids, nowMs, presentation, progress),
      ),
  };
}

/**
 * Fails if the import no longer belongs to the owner. The row stays locked, so that nobody takes the import over
 * before the commit.
 */
async function advance(transaction: Kysely<Database>, progress: ImportProgress | undefined): Promise<void> {
  if (progress === undefined) return;
  const { numUpdatedRows } = await transaction
    .updateTable("imports")
    .set({ position: progress.position })
    .where("owner", "=", progress.owner)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new ImportLeaseLostError();
}

async function inTurn<Item, Outcome>(
  items: readonly Item[],
  apply: (item: Item) => Promise<Applied<Outcome>>,
): Promise<Applied<Outcome>> {
  const all: Applied<Outcome> = { outcomes: [], changedRowIds: [] };
  for (const item of items) {
    const { outcomes, changedRowIds } = await apply(item);
    all.outcomes.push(...outcomes);
    all.changedRowIds.push(...changedRowIds);
  }
  return all;
}

/** If two inputs have the same key, a new round starts with the later one. */
function rounds(inputs: readonly ProductInput[]): ProductInput[][] {
  const found: ProductInput[][] = [];
  let seen = new Set<string>();
  for (const input of inputs) {
    const id = productId(input.source, input.key);
    if (found.length === 0 || seen.has(id)) {
      seen = new Set();
      found.push([]);
    }
    seen.add(id);
    found.at(-1)?.push(input);
  }
  return found;
}

function isReadable(row: Parameters<typeof fromRow>[0]): boolean {
  try {
    fromRow(row);
    return true;
  } catch {
    return false;
  }
}

/** A product that could not be applied. */
async function addImportLetter(
  transaction: Kysely<Database>,
  input: ProductInput,
  error: unknown,
  atMs: number,
): Promise<void> {
  const item = productId(input.source, input.key);
  const former = await transaction
    .selectFrom("dead_letters")
    .select("failures")
    .where("queue", "=", "imports")
    .where("item", "=", item)
    .executeTakeFirst();
  const payload = JSON.stringify(input);
  await addDeadLetter(transaction, {
    queue: "imports",
    item,
    error,
    failures: (former?.failures ?? 0) + 1,
    atMs,
    payload,
  });
}

/** Later inputs of the products were applied, so the earlier ones must not be applied any more. */
async function removeImportLetters(
  transaction: Kysely<Database>,
  productIds: readonly string[],
): Promise<void> {
  await sql`delete from dead_letters where queue = 'imports' and item = any(${productIds}::text[])`.execute(
    transaction,
  );
}

/** The product's row can be read again. */
async function removeUnreadableLetter(transaction: Kysely<Database>, productId: string): Promise<void> {
  await transaction
    .deleteFrom("dead_letters")
    .where("queue", "=", "products")
    .where("item", "=", productId)
    .execute();
}

interface Removal {
  outcomes: RemoveOutcome[];
  changedRowIds: number[];
}

/**
 * Removes products and everything that belongs only to them, in the open transaction. The caller writes the change
 * log.
 */
async function removeProducts(
  transaction: Kysely<Database>,
  ids: readonly string[],
  nowMs: number,
  presentation: Presentation,
  progress: ImportProgress | undefined,
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
  const outdated = await outdatedProducts(
    transaction,
    ids.map((id) => ({ id })),
    progress,
  );
  for (const id of outdated) rows.delete(id);
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
    outcomes: ids.map((id) => (outdated.has(id) ? "outdated" : left.delete(id) ? "removed" : "absent")),
    changedRowIds: rowIds,
  };
}

interface IdentifiedInput {
  id: string;
  input: ProductInput;
}

interface PriceToAdd extends PricePoint {
  rowId: number;
}

export interface Batch {
  outcomes: ApplyOutcome[];
  /** In the order of the change log. */
  changedRowIds: number[];
}

/**
 * Applies inputs of different products in the open transaction, with their prices and events: a few statements,
 * however many products. The caller writes the change log at the end of the transaction.
 */
async function applyBatch(
  transaction: Kysely<Database>,
  inputs: readonly ProductInput[],
  nowMs: number,
  presentation: Presentation,
  progress?: ImportProgress,
): Promise<Batch> {
  const all = inputs.map((input) => ({ id: productId(input.source, input.key), input: storable(input) }));
  const rows = await lockProducts(transaction, all);
  const outdated = await outdatedProducts(transaction, all, progress);
  const wanted = all.filter(({ id }) => !outdated.has(id));
  const created = await createProducts(
    transaction,
    wanted.filter(({ id }) => !rows.has(id)),
    nowMs,
  );
  // Another transaction may have created a product since the first look: its row is locked and compared like any other.
  const others = wanted.filter(({ id }) => !created.has(id));
  if (others.some(({ id }) => !rows.has(id))) {
    for (const [id, row] of await lockProducts(transaction, others)) rows.set(id, row);
  }
  const changes = await changesOf(transaction, others, rows, nowMs);
  await replaceProducts(transaction, [...changes.values()]);
  await recordEvents(transaction, [...changes.values()], nowMs, presentation);
  return {
    outcomes: all.map(({ id }) =>
      outdated.has(id) ? "outdated" : created.has(id) ? "created" : changes.has(id) ? "updated" : "unchanged",
    ),
    changedRowIds: wanted.flatMap(({ id }) => created.get(id) ?? rowIdOf(changes.get(id))),
  };
}

/** Overwrites a row that cannot be read. There is no event, because the former content is unknown. */
async function repairProduct(
  transaction: Kysely<Database>,
  row: ProductRow,
  input: ProductInput,
  nowMs: number,
): Promise<void> {
  const { product } = firstProduct({ ...storable(input), formerPrices: [] }, nowMs, row.id);
  await replaceRows(transaction, [{ product, rowId: row.row_id }], productColumns);
  await addPrices(transaction, [{ rowId: row.row_id, priceMinor: input.priceMinor, atMs: nowMs }]);
}

/** In the order of their identifiers, so that two transactions never deadlock. */
async function lockProducts(
  transaction: Kysely<Database>,
  inputs: readonly { id: string }[],
): Promise<Map<string, ProductRow>> {
  const ids = inputs.map(({ id }) => id);
  const found = await sql<ProductRow>`
    select * from products where id = any(${ids}::text[]) order by id for update`.execute(transaction);
  return new Map(found.rows.map((row) => [row.id, row]));
}

/** Call it when the products are locked: who notes one of them later also writes it later. */
async function outdatedProducts(
  transaction: Kysely<Database>,
  products: readonly { id: string }[],
  progress: ImportProgress | undefined,
): Promise<ReadonlySet<string>> {
  if (progress === undefined) return new Set();
  const ids = products.map(({ id }) => id);
  const found = await sql<{ id: string }>`
    select product_id as id from written_products
    where product_id = any(${ids}::text[]) and at > ${progress.startedAtMs}::bigint`.execute(transaction);
  return new Set(found.rows.map(({ id }) => id));
}

/** The row ids of new products, in the order of the inputs. Without failures, row ids have no gaps. */
async function createProducts(
  transaction: Kysely<Database>,
  inputs: readonly IdentifiedInput[],
  nowMs: number,
): Promise<Map<string, number>> {
  if (inputs.length === 0) return new Map();
  const products = inputs.map(({ id, input }) => firstProduct(input, nowMs, id));
  const written = await sql<{ id: string; row_id: number }>`
    insert into products (${columnList()})
    select ${columnList()} from json_populate_recordset(null::products, ${toJson(products.map(({ product }) => product))}::json)
    on conflict (id) do nothing returning id, row_id`.execute(transaction);
  const created = new Map(written.rows.map(({ id, row_id }) => [id, row_id]));
  const prices = products.flatMap(({ product, prices }) => {
    const rowId = created.get(product.id);
    return rowId === undefined ? [] : prices.map((price) => ({ rowId, ...price }));
  });
  await addPrices(transaction, prices);
  return created;
}

/** The changes by identifier. Throws if a row cannot be read. */
async function changesOf(
  transaction: Kysely<Database>,
  inputs: readonly IdentifiedInput[],
  rows: ReadonlyMap<string, ProductRow>,
  nowMs: number,
): Promise<Map<string, ProductChange>> {
  const compared = inputs.map(({ id, input }) => {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`The product ${id} was removed while it was being changed.`);
    return { id, input, previous: fromRow(row) };
  });
  const differing = compared.filter(
    ({ previous, input }) => nextProduct(previous, input, nowMs, () => []) !== undefined,
  );
  if (differing.length === 0) return new Map();
  const prices = await pricesOfWindow(
    transaction,
    differing.map(({ previous }) => previous),
  );
  const changes = new Map<string, ProductChange>();
  for (const { id, input, previous } of differing) {
    const known = prices.get(previous.rowId) ?? [];
    const current = nextProduct(previous, input, nowMs, (atMs) => known.filter((price) => price.atMs < atMs));
    if (current !== undefined) changes.set(id, { previous, current });
  }
  return changes;
}

async function replaceProducts(
  transaction: Kysely<Database>,
  changes: readonly ProductChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await replaceRows(
    transaction,
    changes.map(({ current }) => ({ product: current, rowId: current.rowId })),
    changingColumns,
  );
  const repriced = changes.filter(({ previous, current }) => previous.priceMinor !== current.priceMinor);
  await addPrices(
    transaction,
    repriced.map(({ current }) => ({
      rowId: current.rowId,
      priceMinor: current.priceMinor,
      atMs: current.priceSinceMs,
    })),
  );
}

async function replaceRows(
  transaction: Kysely<Database>,
  products: readonly { product: NewProduct; rowId: number }[],
  columns: readonly string[],
): Promise<void> {
  const rows = products.map(({ product, rowId }) => ({ ...toRow(product), row_id: rowId }));
  const assignments = columns.map((column) => sql`${sql.ref(column)} = r.${sql.ref(column)}`);
  await sql`
    update products set ${sql.join(assignments)}
    from json_populate_recordset(null::products, ${JSON.stringify(rows)}::json) r where products.row_id = r.row_id`.execute(
    transaction,
  );
}

async function addPrices(transaction: Kysely<Database>, prices: readonly PriceToAdd[]): Promise<void> {
  if (prices.length === 0) return;
  await sql`
    insert into price_history (product_row_id, price_minor, at)
    select * from unnest(${prices.map(({ rowId }) => rowId)}::bigint[],
      ${prices.map(({ priceMinor }) => priceMinor)}::bigint[], ${prices.map(({ atMs }) => atMs)}::bigint[])`.execute(
    transaction,
  );
}

function columnList() {
  return sql.join(productColumns.map((column) => sql.ref(column)));
}

function toJson(products: readonly NewProduct[]): string {
  return JSON.stringify(products.map(toRow));
}

function toRow(product: NewProduct): Record<string, Cell> {
  const cells = toCells(product);
  return Object.fromEntries(productColumns.map((column, at) => [column, cells[at] ?? null]));
}

function rowIdOf(change: ProductChange | undefined): number[] {
  return change === undefined ? [] : [change.current.rowId];
}

/** PostgreSQL cannot store NUL characters or half a surrogate pair: these are removed and replaced, as SQLite does. */
function storable<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === "string" ? part.replaceAll("\0", "").toWellFormed() : part,
  );
}
