import { productId } from "@product-search/core/domain/identity.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { firstProduct, type NewProduct, nextProduct } from "@product-search/core/domain/next-product.ts";
import type { PricePoint, ProductInput } from "@product-search/core/domain/product.ts";
import type { ProductChange } from "@product-search/core/domain/webhook-event.ts";
import type { ApplyOutcome, ImportProgress } from "@product-search/core/ports/catalog-store.ts";
import { type Kysely, sql } from "kysely";
import { recordEvents } from "../../database/postgres/outbox.ts";
import { pricesOfWindow } from "../../database/postgres/postgres-tables.ts";
import { changingColumns, type ProductRow, productColumns } from "../../database/product-columns.ts";
import type { Database } from "../../database/schema.ts";
import { type Cell, fromRow, toCells } from "../catalog-rows.ts";

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
export async function applyBatch(
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
export async function repairProduct(
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
export async function lockProducts(
  transaction: Kysely<Database>,
  inputs: readonly { id: string }[],
): Promise<Map<string, ProductRow>> {
  const ids = inputs.map(({ id }) => id);
  const found = await sql<ProductRow>`
    select * from products where id = any(${ids}::text[]) order by id for update`.execute(transaction);
  return new Map(found.rows.map((row) => [row.id, row]));
}

/** Call it when the products are locked: who notes one of them later also writes it later. */
export async function outdatedProducts(
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
