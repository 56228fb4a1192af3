import type {
  ProductImageStore,
  ProductVectors,
  VectorChange,
} from "@product-search/core/ports/product-image-store.ts";
import { sql } from "kysely";
import { fromHalfFloats } from "../database/half-floats.ts";
import { lastChange } from "../database/postgres/number-changes.ts";
import { addImageLetter } from "./postgres-letters.ts";
import type { PostgresProductImageStoreSettings } from "./postgres-settings.ts";

type VectorReads = Pick<
  ProductImageStore,
  "lastSequence" | "changesAfter" | "vectorsOf" | "scan" | "discardVectors"
>;

/** The vectors and the log of their changes, for vector indexes. */
export function createPostgresVectors({ db, clock }: PostgresProductImageStoreSettings): VectorReads {
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
