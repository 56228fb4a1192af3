import { productId } from "@product-search/core/domain/identity.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import type { ProductInput, StoredProduct } from "@product-search/core/domain/product.ts";
import type { RemoveOutcome } from "@product-search/core/ports/catalog-store.ts";
import {
  type ApplyOutcome,
  type CatalogStore,
  type EachOutcome,
  ImportLeaseLostError,
  type ImportProgress,
} from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { inSavepoint } from "../../database/in-savepoint.ts";
import { addDeadLetter } from "../../database/new-dead-letter.ts";
import { retryDeadlocks } from "../../database/postgres/errors.ts";
import { numberChanges } from "../../database/postgres/number-changes.ts";
import { recordEvents } from "../../database/postgres/outbox.ts";
import type { ProductRow } from "../../database/product-columns.ts";
import type { Database } from "../../database/schema.ts";
import { transact } from "../../database/transact.ts";
import { fromRow } from "../catalog-rows.ts";
import { applyBatch, lockProducts, outdatedProducts, repairProduct } from "./writes.ts";

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

/** A row that cannot be read is removed without an event, because its content is unknown. */
function readOrUndefined(row: ProductRow): StoredProduct | undefined {
  try {
    return fromRow(row);
  } catch {
    return undefined;
  }
}
