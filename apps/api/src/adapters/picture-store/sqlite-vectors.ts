import type Sqlite from "better-sqlite3";
import type { PictureStore, ProductVectors, VectorChange } from "../../ports/picture-store.ts";
import { fromHalfFloats } from "../database/half-floats.ts";

type VectorReads = Pick<
  PictureStore,
  "lastSequence" | "changesAfter" | "vectorsOf" | "scan" | "removeVectorsExcept"
>;

/** The vectors and the log of their changes, for whoever keeps an index. */
export function createVectors(connection: Sqlite.Database): VectorReads {
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
  const removeOthers = connection.prepare<[string, number]>(
    `delete from picture_vectors where rowid in
       (select rowid from picture_vectors where model not in (select value from json_each(?)) limit ?)`,
  );
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
    removeVectorsExcept: async (models, limit) => removeOthers.run(JSON.stringify(models), limit).changes,
  };
}
