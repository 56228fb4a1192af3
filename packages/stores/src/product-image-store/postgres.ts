import type {
  ImageOutcome,
  ProductImage,
  ProductImageStore,
  ProductVectors,
  VectorChange,
} from "@product-search/core/ports/images.ts";
import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { fromHalfFloats, toHalfFloats } from "../database/half-floats.ts";
import { addDeadLetter } from "../database/new-dead-letter.ts";
import { inSavepoint } from "../database/postgres/in-savepoint.ts";
import { lastChange, numberChanges } from "../database/postgres/number-changes.ts";
import type { Database } from "../database/schema.ts";
import { createPostgresShownImages, type PostgresProductImageStoreSettings } from "./postgres-shown.ts";

const unrecordedPauseMs = 60_000;

/** Long enough for a node that is stopped during a change of the model, and for an outage of the database. */
const usedForMs = 24 * 3600 * 1000;

const sayAgainMs = 10 * 60_000;

/** The image store of several nodes. One of them writes; any may read. */
export function createPostgresProductImageStore(
  settings: PostgresProductImageStoreSettings,
): ProductImageStore {
  return {
    ...createPostgresShownImages(settings),
    ...createPostgresImageQueue(settings),
    ...createPostgresVectors(settings),
    ...createPostgresImageModels(settings),
  };
}

/** The models of all nodes. A node that is restarted with another model must not lose what others need or build. */
function createPostgresImageModels({
  db,
  clock,
}: PostgresProductImageStoreSettings): Pick<
  ProductImageStore,
  "isDescribedBy" | "useModels" | "usedModels" | "storedModels" | "removeVectors"
> {
  const saidAtMs = new Map<string, number>();
  const isSaid = (model: string) => (saidAtMs.get(model) ?? 0) + sayAgainMs > clock.now();
  return {
    async isDescribedBy(model) {
      const found = await sql<{ isMissing: boolean }>`
        select exists (select 1 from pictures where state = 'waiting' and attempts = 0)
          or exists (select 1 from pictures where state = 'described'
            and not exists (select 1 from picture_vectors where picture_id = id and model = ${model})) as "isMissing"`.execute(
        db,
      );
      return found.rows[0]?.isMissing === false;
    },
    async useModels(models) {
      if (models.every(isSaid)) return;
      const nowMs = clock.now();
      // In the same order everywhere, so that two nodes never deadlock.
      await sql`
        insert into image_models (model, used_until)
        select model, ${nowMs + usedForMs}::bigint from unnest(${[...new Set(models)].toSorted()}::text[]) model
        on conflict (model) do update set used_until = greatest(image_models.used_until, excluded.used_until)`.execute(
        db,
      );
      for (const model of models) saidAtMs.set(model, nowMs);
    },
    async usedModels() {
      const found = await sql<{ model: string }>`
        select model from image_models where used_until > ${clock.now()}::bigint`.execute(db);
      return found.rows.map(({ model }) => model);
    },
    async storedModels() {
      const found = await sql<{ model: string }>`select distinct model from picture_vectors`.execute(db);
      return found.rows.map(({ model }) => model);
    },
    async removeVectors(model, limit) {
      const removed = await sql`
        delete from picture_vectors where model = ${model} and picture_id in
          (select picture_id from picture_vectors where model = ${model} limit ${limit})`.execute(db);
      return Number(removed.numAffectedRows ?? 0n);
    },
  };
}

/** The queue of images to fetch and describe, and their outcomes. The service's own images are due first. */
function createPostgresImageQueue({
  db,
  clock,
}: PostgresProductImageStoreSettings): Pick<
  ProductImageStore,
  "requeueWithout" | "due" | "record" | "progress"
> {
  return {
    async requeueWithout(model, afterId, limit) {
      const page = await db
        .selectFrom("pictures")
        .select("id")
        .where("id", ">", afterId)
        .orderBy("id")
        .limit(limit)
        .execute();
      const last = page.at(-1);
      if (last === undefined) return undefined;
      await sql`
        update pictures set state = 'waiting', attempts = 0,
          due_at = case when address like '/%' then 0 else ${clock.now()}::bigint end
        where id > ${afterId} and id <= ${last.id} and state <> 'waiting'
          and not exists (select 1 from picture_vectors where picture_id = id and model = ${model})`.execute(
        db,
      );
      return last.id;
    },
    async due(model, limit, except = []) {
      const found = await sql<ProductImage & { etag: string | null }>`
        select id, address, attempts,
          (select etag from picture_vectors where picture_id = id and model = ${model}) as etag
        from pictures where state = 'waiting' and due_at <= ${clock.now()}::bigint
          and not exists (select 1 from unnest(${except}::text[]) as prefix where starts_with(address, prefix))
        order by due_at, id limit ${limit}`.execute(db);
      return found.rows.map(({ etag, ...image }) => ({ ...image, ...(etag !== null && { etag }) }));
    },
    record: (outcomes) => recordOutcomes(db, outcomes, clock.now()),
    async progress() {
      const counted = await sql<Record<"described" | "waiting" | "untried" | "lost", number>>`
        select count(*) filter (where state = 'described') as described,
          count(*) filter (where state = 'waiting') as waiting,
          count(*) filter (where state = 'waiting' and attempts = 0) as untried,
          count(*) filter (where state = 'lost') as lost from pictures`.execute(db);
      return counted.rows[0] ?? { described: 0, waiting: 0, untried: 0, lost: 0 };
    },
  };
}

type VectorReads = Pick<
  ProductImageStore,
  "lastSequence" | "changesAfter" | "vectorsOf" | "scan" | "discardVectors"
>;

/** The vectors and the log of their changes, for vector indexes. */
function createPostgresVectors({ db, clock }: PostgresProductImageStoreSettings): VectorReads {
  const vectorsOf = async (rowIds: readonly number[], model: string): Promise<ProductVectors[]> => {
    if (rowIds.length === 0) return [];
    const found = await sql<{ rowId: number; vector: Uint8Array }>`
      select product_row_id as "rowId", vector from product_pictures join picture_vectors using (picture_id)
      where product_row_id = any(${rowIds}::bigint[]) and model = ${model} order by picture_id`.execute(db);
    const byProduct = Map.groupBy(found.rows, ({ rowId }) => rowId);
    return rowIds.map((rowId) => ({
      rowId,
      vectors: (byProduct.get(rowId) ?? []).map(({ vector }) => fromHalfFloats(vector)),
    }));
  };
  return {
    lastSequence: () => lastChange(db, "vector_changes"),
    async changesAfter(sequence, limit) {
      const found = await sql<VectorChange>`
        select sequence, product_row_id as "rowId" from vector_changes
        where sequence > ${sequence} order by sequence limit ${limit}`.execute(db);
      return found.rows;
    },
    vectorsOf,
    async scan(model, afterRowId, limit) {
      const found = await sql<{ rowId: number }>`
        select distinct product_row_id as "rowId" from product_pictures s
        where product_row_id > ${afterRowId}
          and exists (select 1 from picture_vectors v where v.picture_id = s.picture_id and model = ${model})
        order by product_row_id limit ${limit}`.execute(db);
      return vectorsOf(
        found.rows.map(({ rowId }) => rowId),
        model,
      );
    },
    discardVectors: (rowId, model, dimensions) =>
      discardVectors({ db, clock }, rowId, model, dimensions * Float16Array.BYTES_PER_ELEMENT),
  };
}

/** The images stay lost until they are retried. Describing them again could produce the same invalid vector forever. */
function discardVectors(
  { db, clock }: PostgresProductImageStoreSettings,
  rowId: number,
  model: string,
  wantedBytes: number,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const unusable = await sql<{ id: number; bytes: number }>`
      select picture_id as id, octet_length(vector) as bytes from product_pictures join picture_vectors using (picture_id)
      where product_row_id = ${rowId} and model = ${model} and octet_length(vector) <> ${wantedBytes}`.execute(
      transaction,
    );
    for (const { id, bytes } of unusable.rows) {
      const fault = `Its vector is damaged: it has ${bytes} bytes instead of ${wantedBytes}.`;
      await transaction
        .deleteFrom("picture_vectors")
        .where("picture_id", "=", id)
        .where("model", "=", model)
        .execute();
      const lost = { state: "lost", fault, attempts: 0 };
      await transaction.updateTable("pictures").set(lost).where("id", "=", id).execute();
      await addImageLetter(transaction, id, fault, clock.now());
    }
  });
}

/** Records the outcomes of images and the changes of the products that show them, in one transaction. */
function recordOutcomes(
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

/** Creates the dead letter of an image that failed because of an error in this service. */
async function addImageLetter(
  transaction: Kysely<Database>,
  imageId: number,
  fault: string,
  atMs: number,
): Promise<void> {
  const image = await transaction
    .selectFrom("pictures")
    .select("address")
    .where("id", "=", imageId)
    .executeTakeFirst();
  if (image === undefined) return;
  const letter = {
    queue: "pictures",
    item: image.address,
    error: fault,
    failures: maxFailures,
    atMs,
  } as const;
  await addDeadLetter(transaction, letter);
}

/** Removes the dead letter, because the image was described after all. */
async function removeImageLetter(transaction: Kysely<Database>, imageId: number): Promise<void> {
  await sql`
    delete from dead_letters where queue = 'pictures' and item = (select address from pictures where id = ${imageId})`.execute(
    transaction,
  );
}
