import type {
  ImageOutcome,
  ProductImage,
  ProductImageStore,
  ProductVectors,
  VectorChange,
} from "@product-search/core/ports/images.ts";
import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import { type Kysely, sql } from "kysely";
import { fromHalfFloats, toHalfFloats } from "../database/half-floats.ts";
import { addDeadLetter } from "../database/new-dead-letter.ts";
import { lastChange, numberChanges } from "../database/postgres/number-changes.ts";
import type { Database } from "../database/schema.ts";
import { inSavepoint, transact } from "../database/transact.ts";
import { createShownImages, dueAt, type ImageDialect, type ImageStoreDeps } from "./shown-images.ts";

const unrecordedPauseMs = 60_000;

/** Long enough for a node that is stopped during a change of the model, and for an outage of the database. */
const usedForMs = 24 * 3600 * 1000;

const sayAgainMs = 10 * 60_000;

export type ProductImageStoreSettings = Pick<ImageStoreDeps, "db" | "clock">;

const sqlite: ImageDialect = {
  items: (json) => sql`json_each(${json}) as item`,
  addChanges: async (transaction, rowIds) => {
    for (const rowId of rowIds)
      await sql`insert or replace into vector_changes (product_row_id) values (${rowId})`.execute(
        transaction,
      );
  },
  async lastSequence(db) {
    const newest = await sql<{ sequence: number | null }>`
      select max(sequence) as sequence from vector_changes`.execute(db);
    return newest.rows[0]?.sequence ?? 0;
  },
};

const postgres: ImageDialect = {
  items: (json) => sql`json_array_elements(${json}::json) with ordinality as item (value, key)`,
  addChanges: (transaction, rowIds) => numberChanges(transaction, "vector_changes", rowIds),
  lastSequence: (db) => lastChange(db, "vector_changes"),
};

/** The image store of one node, which knows itself which models it uses. */
export function createSqliteProductImageStore(settings: ProductImageStoreSettings): ProductImageStore {
  return {
    ...createImageStore({ ...settings, dialect: sqlite }),
    useModels: async () => {},
    usedModels: async () => [],
  };
}

/** The image store of several nodes. One of them writes; any may read. */
export function createPostgresProductImageStore(settings: ProductImageStoreSettings): ProductImageStore {
  return { ...createImageStore({ ...settings, dialect: postgres }), ...createModelsOfNodes(settings) };
}

const createImageStore = (deps: ImageStoreDeps) => ({
  ...createShownImages(deps),
  ...createImageQueue(deps),
  ...createVectors(deps),
  ...createStoredModels(deps),
});

/** The models of all nodes. A node that is restarted with another model must not lose what others need or build. */
function createModelsOfNodes({
  db,
  clock,
}: ProductImageStoreSettings): Pick<ProductImageStore, "useModels" | "usedModels"> {
  const saidAtMs = new Map<string, number>();
  const isSaid = (model: string) => (saidAtMs.get(model) ?? 0) + sayAgainMs > clock.now();
  return {
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
  };
}

/** The models of the vectors that are here. */
function createStoredModels({
  db,
}: ImageStoreDeps): Pick<ProductImageStore, "isDescribedBy" | "storedModels" | "removeVectors"> {
  return {
    async isDescribedBy(model) {
      const found = await sql<{ isMissing: boolean | number }>`
        select exists (select 1 from pictures where state = 'waiting' and attempts = 0)
          or exists (select 1 from pictures where state = 'described'
            and not exists (select 1 from picture_vectors where picture_id = id and model = ${model})) as "isMissing"`.execute(
        db,
      );
      return !found.rows[0]?.isMissing;
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
function createImageQueue({
  db,
  clock,
  dialect,
}: ImageStoreDeps): Pick<ProductImageStore, "requeueWithout" | "due" | "record" | "progress"> {
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
        update pictures set state = 'waiting', attempts = 0, due_at = ${dueAt(clock.now())}
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
        from pictures where state = 'waiting' and due_at <= ${clock.now()}
          and not exists (select 1 from ${dialect.items(JSON.stringify(except.map((start) => ({ start }))))}
            where substr(address, 1, length(value ->> 'start')) = value ->> 'start')
        order by due_at, id limit ${limit}`.execute(db);
      return found.rows.map(({ etag, ...image }) => ({ ...image, ...(etag !== null && { etag }) }));
    },
    record: (outcomes) => recordOutcomes({ db, dialect }, outcomes, clock.now()),
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
function createVectors({ db, clock, dialect }: ImageStoreDeps): VectorReads {
  const vectorsOf = async (rowIds: readonly number[], model: string): Promise<ProductVectors[]> => {
    if (rowIds.length === 0) return [];
    const found = await sql<{ rowId: number; vector: Uint8Array }>`
      select product_row_id as "rowId", vector from product_pictures join picture_vectors using (picture_id)
      where product_row_id in (${sql.join(rowIds)}) and model = ${model} order by picture_id`.execute(db);
    const byProduct = Map.groupBy(found.rows, ({ rowId }) => rowId);
    return rowIds.map((rowId) => ({
      rowId,
      vectors: (byProduct.get(rowId) ?? []).map(({ vector }) => fromHalfFloats(vector)),
    }));
  };
  return {
    lastSequence: () => dialect.lastSequence(db),
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
  { db, clock }: ProductImageStoreSettings,
  rowId: number,
  model: string,
  wantedBytes: number,
): Promise<void> {
  return transact(db, async (transaction) => {
    const unusable = await sql<{ id: number; bytes: number }>`
      select picture_id as id, length(vector) as bytes from product_pictures join picture_vectors using (picture_id)
      where product_row_id = ${rowId} and model = ${model} and length(vector) <> ${wantedBytes}`.execute(
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

/**
 * Records the outcomes of images and the changes of the products that show them, in one transaction. All together; if that
 * fails, one after the other.
 */
function recordOutcomes(
  { db, dialect }: Pick<ImageStoreDeps, "db" | "dialect">,
  outcomes: readonly ImageOutcome[],
  nowMs: number,
): Promise<void> {
  return transact(db, async (transaction) => {
    const recordEach = async () => {
      const changed: number[] = [];
      for (const outcome of outcomes) {
        const recorded = await inSavepoint(
          transaction,
          () => recordTogether(transaction, [outcome], nowMs),
          (error) => recordError(transaction, outcome.id, error, nowMs),
        );
        changed.push(...recorded);
      }
      return changed;
    };
    const changedIds = await inSavepoint(
      transaction,
      () => recordTogether(transaction, outcomes, nowMs),
      recordEach,
    );
    await dialect.addChanges(transaction, await productsShowing(transaction, changedIds));
  });
}

/** The images whose vectors changed. An image that no product shows any more was removed: there is nothing to record. */
async function recordTogether(
  transaction: Kysely<Database>,
  outcomes: readonly ImageOutcome[],
  nowMs: number,
): Promise<number[]> {
  if (outcomes.length === 0) return [];
  const ids = outcomes.map(({ id }) => id);
  const stored = await transaction.selectFrom("pictures").select("id").where("id", "in", ids).execute();
  const storedIds = new Set(stored.map(({ id }) => id));
  const kept = outcomes.filter(({ id }) => storedIds.has(id));
  const described = kept.filter((outcome) => outcome.became === "described");
  await keepVectors(transaction, described);
  const usable = kept.filter(({ became }) => became === "described" || became === "unchanged");
  await settle(transaction, usable, { state: "described", fault: null, fetched_at: nowMs });
  await removeImageLetters(transaction, described);
  for (const outcome of kept) await recordFailure(transaction, outcome, nowMs);
  return kept.flatMap(({ id, became }) =>
    became === "unchanged" || became === "retry" || became === "postponed" ? [] : [id],
  );
}

async function recordFailure(
  transaction: Kysely<Database>,
  outcome: ImageOutcome,
  nowMs: number,
): Promise<void> {
  const { id, became } = outcome;
  if (became === "described" || became === "unchanged") return;
  if (became === "postponed") {
    const dueAt = nowMs + outcome.afterMs;
    await transaction.updateTable("pictures").set({ due_at: dueAt }).where("id", "=", id).execute();
    return;
  }
  const { fault } = outcome;
  if (became === "retry") {
    await transaction
      .updateTable("pictures")
      .set((row) => ({
        fault,
        attempts: sql`${row.ref("attempts")} + 1`,
        due_at: nowMs + outcome.afterMs,
      }))
      .where("id", "=", id)
      .execute();
    return;
  }
  if (became === "dead") await addImageLetter(transaction, id, fault, nowMs);
  await transaction.deleteFrom("picture_vectors").where("picture_id", "=", id).execute();
  await settle(transaction, [outcome], { state: "lost", fault, fetched_at: nowMs });
}

async function keepVectors(
  transaction: Kysely<Database>,
  outcomes: readonly Extract<ImageOutcome, { became: "described" }>[],
): Promise<void> {
  if (outcomes.length === 0) return;
  await transaction
    .insertInto("picture_vectors")
    .values(
      outcomes.map(({ id, descriptor: { model, vector }, etag = null }) => ({
        picture_id: id,
        model,
        vector: toHalfFloats(vector),
        etag,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["picture_id", "model"]).doUpdateSet((row) => ({
        vector: row.ref("excluded.vector"),
        etag: row.ref("excluded.etag"),
      })),
    )
    .execute();
}

async function settle(
  transaction: Kysely<Database>,
  outcomes: readonly ImageOutcome[],
  values: { state: string; fault: string | null; fetched_at: number },
): Promise<void> {
  if (outcomes.length === 0) return;
  const ids = outcomes.map(({ id }) => id);
  await transaction
    .updateTable("pictures")
    .set({ ...values, attempts: 0 })
    .where("id", "in", ids)
    .execute();
}

/** The outcome is lost. The image is due again after a minute, and becomes a dead letter after five failures. */
async function recordError(
  transaction: Kysely<Database>,
  id: number,
  error: unknown,
  nowMs: number,
): Promise<number[]> {
  const fault = error instanceof Error ? error.message : String(error);
  const image = await transaction
    .selectFrom("pictures")
    .select("attempts")
    .where("id", "=", id)
    .executeTakeFirst();
  const failures = (image?.attempts ?? 0) + 1;
  const outcome: ImageOutcome =
    failures >= maxFailures
      ? { id, became: "dead", fault }
      : { id, became: "retry", afterMs: unrecordedPauseMs, fault };
  return recordTogether(transaction, [outcome], nowMs);
}

/** In the order of the images, then of the products. */
async function productsShowing(
  transaction: Kysely<Database>,
  imageIds: readonly number[],
): Promise<number[]> {
  if (imageIds.length === 0) return [];
  const shown = await transaction
    .selectFrom("product_pictures")
    .select(["picture_id", "product_row_id"])
    .where("picture_id", "in", imageIds)
    .orderBy("product_row_id")
    .execute();
  const byImage = Map.groupBy(shown, (row) => row.picture_id);
  return imageIds.flatMap((id) => (byImage.get(id) ?? []).map((row) => row.product_row_id));
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

/** Removes the dead letters, because the images were described after all. */
async function removeImageLetters(
  transaction: Kysely<Database>,
  outcomes: readonly ImageOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const ids = outcomes.map(({ id }) => id);
  await transaction
    .deleteFrom("dead_letters")
    .where("queue", "=", "pictures")
    .where("item", "in", (letters) => letters.selectFrom("pictures").select("address").where("id", "in", ids))
    .execute();
}
