import { productId } from "@product-search/core/domain/identity.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import {
  type ApplyOutcome,
  type CatalogStore,
  type EachOutcome,
  ImportLeaseLostError,
  type ImportProgress,
} from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Kysely } from "kysely";
import { inTransaction } from "../../database/in-transaction.ts";
import { inSavepoint } from "../../database/postgres/in-savepoint.ts";
import { numberChanges } from "../../database/postgres/number-changes.ts";
import { retryDeadlocks } from "../../database/postgres/retry-deadlocks.ts";
import type { Database } from "../../database/schema.ts";
import { fromRow } from "../product-rows.ts";
import { addImportLetter, removeImportLetters, removeUnreadableLetter } from "./letters.ts";
import { removeProducts } from "./remove.ts";
import { applyBatch, lockProducts, repairProduct } from "./writes.ts";

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
}: PostgresApplySettings): Pick<CatalogStore, "apply" | "applyEach" | "remove"> {
  const inOneTransaction = <Outcome>(
    progress: ImportProgress | undefined,
    work: (transaction: Kysely<Database>, nowMs: number) => Promise<Applied<Outcome>>,
  ): Promise<Outcome[]> =>
    retryDeadlocks(() =>
      inTransaction(db, async (transaction) => {
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
  ): Promise<Applied<ApplyOutcome>> => {
    const id = productId(input.source, input.key);
    await removeImportLetters(transaction, [id]);
    const row = (await lockProducts(transaction, [{ id }])).get(id);
    if (row === undefined || isReadable(row)) return applyBatch(transaction, [input], nowMs, presentation);
    await repairProduct(transaction, row, input, nowMs);
    await removeUnreadableLetter(transaction, id);
    return { outcomes: ["updated"], changedRowIds: [row.row_id] };
  };
  const applyOneTolerantly = async (
    transaction: Kysely<Database>,
    input: ProductInput,
    nowMs: number,
  ): Promise<Applied<EachOutcome>> => {
    return inSavepoint<Applied<EachOutcome>>(
      transaction,
      () => applyOne(transaction, input, nowMs),
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
        return inTurn(rounds(inputs), (round) => applyBatch(transaction, round, nowMs, presentation));
      }),
    applyEach: (inputs, progress) =>
      inOneTransaction(progress, (transaction, nowMs) =>
        inTurn<ProductInput, EachOutcome>(inputs, (input) => applyOneTolerantly(transaction, input, nowMs)),
      ),
    remove: (ids, progress) =>
      inOneTransaction(progress, (transaction, nowMs) =>
        removeProducts(transaction, ids, nowMs, presentation),
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
