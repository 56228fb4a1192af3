import { maxFailures } from "@product-search/core/ports/dead-letters.ts";
import type { ImageOutcome } from "@product-search/core/ports/product-image-store.ts";
import { type Kysely, sql } from "kysely";
import { toHalfFloats } from "../database/half-floats.ts";
import { inSavepoint } from "../database/postgres/in-savepoint.ts";
import { numberChanges } from "../database/postgres/number-changes.ts";
import type { Database } from "../database/schema.ts";
import { addImageLetter, removeImageLetter } from "./postgres-letters.ts";

const unrecordedPauseMs = 60_000;

/** Records the outcomes of images and the changes of the products that show them, in one transaction. */
export function recordOutcomes(
  db: Kysely<Database>,
  outcomes: readonly ImageOutcome[],
  nowMs: number,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const changedIds: number[] = [];
    for (const outcome of outcomes) {
      const isChanged = await inSavepoint(
        transaction,
        () => recordOutcome(transaction, outcome, nowMs),
        (error) => recordError(transaction, outcome.id, error, nowMs),
      );
      if (isChanged) changedIds.push(outcome.id);
    }
    await numberChanges(transaction, "vector_changes", await productsShowing(transaction, changedIds));
  });
}

/** Returns whether the vectors of its products changed. */
async function recordOutcome(
  transaction: Kysely<Database>,
  outcome: ImageOutcome,
  nowMs: number,
): Promise<boolean> {
  const { id } = outcome;
  const image = await transaction.selectFrom("pictures").select("id").where("id", "=", id).executeTakeFirst();
  // No product shows the image any more: it was removed, and there is nothing to record.
  if (image === undefined) return false;
  switch (outcome.became) {
    case "described":
      await keepVector(transaction, outcome);
      await settle(transaction, id, { state: "described", fault: null, fetched_at: nowMs });
      await removeImageLetter(transaction, id);
      return true;
    case "unchanged":
      await settle(transaction, id, { state: "described", fault: null, fetched_at: nowMs });
      return false;
    case "retry":
      await transaction
        .updateTable("pictures")
        .set((row) => ({
          fault: outcome.fault,
          attempts: sql`${row.ref("attempts")} + 1`,
          due_at: nowMs + outcome.afterMs,
        }))
        .where("id", "=", id)
        .execute();
      return false;
    case "dead":
      await addImageLetter(transaction, id, outcome.fault, nowMs);
      break;
    case "lost":
  }
  await transaction.deleteFrom("picture_vectors").where("picture_id", "=", id).execute();
  await settle(transaction, id, { state: "lost", fault: outcome.fault, fetched_at: nowMs });
  return true;
}

async function keepVector(
  transaction: Kysely<Database>,
  { id, descriptor, etag }: Extract<ImageOutcome, { became: "described" }>,
): Promise<void> {
  const kept = { vector: toHalfFloats(descriptor.vector), etag: etag ?? null };
  await transaction
    .insertInto("picture_vectors")
    .values({ picture_id: id, model: descriptor.model, ...kept })
    .onConflict((conflict) => conflict.columns(["picture_id", "model"]).doUpdateSet(kept))
    .execute();
}

async function settle(
  transaction: Kysely<Database>,
  id: number,
  values: { state: string; fault: string | null; fetched_at: number },
): Promise<void> {
  await transaction
    .updateTable("pictures")
    .set({ ...values, attempts: 0 })
    .where("id", "=", id)
    .execute();
}

/** The outcome is lost. The image is due again after a minute, and becomes a dead letter after five failures. */
async function recordError(
  transaction: Kysely<Database>,
  id: number,
  error: unknown,
  nowMs: number,
): Promise<boolean> {
  const fault = error instanceof Error ? error.message : String(error);
  const image = await transaction
    .selectFrom("pictures")
    .select("attempts")
    .where("id", "=", id)
    .executeTakeFirst();
  const failures = (image?.attempts ?? 0) + 1;
  return failures >= maxFailures
    ? recordOutcome(transaction, { id, became: "dead", fault }, nowMs)
    : recordOutcome(transaction, { id, became: "retry", afterMs: unrecordedPauseMs, fault }, nowMs);
}

/** In the order of the images, then of the products. */
async function productsShowing(
  transaction: Kysely<Database>,
  imageIds: readonly number[],
): Promise<number[]> {
  if (imageIds.length === 0) return [];
  const found = await sql<{ rowId: number }>`
    select product_row_id as "rowId" from unnest(${imageIds}::bigint[]) with ordinality changed (id, place)
    join product_pictures on picture_id = id order by place, product_row_id`.execute(transaction);
  return found.rows.map(({ rowId }) => rowId);
}
