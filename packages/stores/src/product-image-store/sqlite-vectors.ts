import type {
  ProductImageStore,
  ProductVectors,
  VectorChange,
} from "@product-search/core/ports/product-image-store.ts";
import { fromHalfFloats } from "../database/half-floats.ts";
import { prepareImageLetters } from "./picture-letters.ts";
import type { SqliteProductImageStoreSettings } from "./sqlite-settings.ts";

type VectorReads = Pick<
  ProductImageStore,
  "lastSequence" | "changesAfter" | "vectorsOf" | "scan" | "discardVectors"
>;

/** The vectors and the log of their changes, for vector indexes. */
export function createVectors({ connection, clock }: SqliteProductImageStoreSettings): VectorReads {
  const newest = connection.prepare<[], { sequence: number | null }>(
    "select max(sequence) as sequence from vector_changes",
  );
  const after = connection.prepare<[number, number], VectorChange>(
    "select sequence, product_row_id as rowId from vector_changes where sequence > ? order by sequence limit ?",
  );
  const vectors = connection.prepare<[number, string], { vector: Uint8Array }>(
    `select vector from product_pictures join picture_vectors using (picture_id)
     where product_row_id = ? and model = ? order by picture_id`,
  );
  const products = connection.prepare<[number, string, number], { rowId: number }>(
    `select distinct product_row_id as rowId from product_pictures
     where product_row_id > ?
       and exists (select 1 from picture_vectors v where v.picture_id = product_pictures.picture_id and model = ?)
     order by product_row_id limit ?`,
  );
  const discard = prepareDiscarding(connection);
  const vectorsOf = (rowId: number, model: string): ProductVectors => ({
    rowId,
    vectors: vectors.all(rowId, model).map(({ vector }) => fromHalfFloats(vector)),
  });
  return {
    lastSequence: async () => newest.get()?.sequence ?? 0,
    changesAfter: async (sequence, limit) => after.all(sequence, limit),
    vectorsOf: async (rowIds, model) => rowIds.map((rowId) => vectorsOf(rowId, model)),
    scan: async (model, afterRowId, limit) =>
      products.all(afterRowId, model, limit).map(({ rowId }) => vectorsOf(rowId, model)),
    discardVectors: async (rowId, model, dimensions) =>
      discard.immediate(rowId, model, dimensions, clock.now()),
  };
}

/** The images stay lost until they are retried. Describing them again could produce the same invalid vector forever. */
function prepareDiscarding(connection: SqliteProductImageStoreSettings["connection"]) {
  const unusable = connection.prepare<[number, string, number], { id: number; bytes: number }>(
    `select picture_id as id, length(vector) as bytes from product_pictures join picture_vectors using (picture_id)
     where product_row_id = ? and model = ? and length(vector) <> ?`,
  );
  const remove = connection.prepare<[number, string]>(
    "delete from picture_vectors where picture_id = ? and model = ?",
  );
  const lose = connection.prepare<[string, number]>(
    "update pictures set state = 'lost', fault = ?, attempts = 0 where id = ?",
  );
  const letters = prepareImageLetters(connection);
  return connection.transaction((rowId: number, model: string, dimensions: number, nowMs: number) => {
    const wanted = dimensions * Float16Array.BYTES_PER_ELEMENT;
    for (const { id, bytes } of unusable.all(rowId, model, wanted)) {
      const fault = `Its vector is damaged: it has ${bytes} bytes instead of ${wanted}.`;
      remove.run(id, model);
      lose.run(fault, id);
      letters.add(id, fault, nowMs);
    }
  });
}
