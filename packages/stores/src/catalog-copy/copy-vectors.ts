import type Sqlite from "better-sqlite3";
import { sql } from "kysely";
import type { CopyBatch } from "./copy-products.ts";

interface ShownRow {
  rowId: number;
  imageId: number;
}

interface VectorRow {
  imageId: number;
  model: string;
  vector: Uint8Array;
  etag: string | null;
}

/** The current images of the products, and all vectors of these images. */
export function createVectorCopying(connection: Sqlite.Database): CopyBatch {
  const shown = connection.prepare<[number], { imageId: number }>(
    "select picture_id as imageId from product_pictures where product_row_id = ?",
  );
  const hideAll = connection.prepare<[number]>("delete from product_pictures where product_row_id = ?");
  const show = connection.prepare<[number, number]>(
    "insert or ignore into product_pictures (product_row_id, picture_id) values (?, ?)",
  );
  const removeVectors = connection.prepare<[number]>("delete from picture_vectors where picture_id = ?");
  const isShown = connection.prepare<[number], unknown>(
    "select 1 from product_pictures where picture_id = ? limit 1",
  );
  const addVector = connection.prepare<[number, string, Uint8Array, string | null]>(
    "insert or replace into picture_vectors (picture_id, model, vector, etag) values (?, ?, ?, ?)",
  );
  const addChange = connection.prepare<[number, number]>(
    "insert or replace into vector_changes (sequence, product_row_id) values (?, ?)",
  );

  return async (snapshot, changes) => {
    const rowIds = changes.map(({ rowId }) => rowId);
    const images = await sql<ShownRow>`
      select product_row_id as "rowId", picture_id as "imageId" from product_pictures
      where product_row_id = any(${rowIds}::bigint[])`.execute(snapshot);
    const imageIds = [...new Set(images.rows.map(({ imageId }) => imageId))];
    const vectors = await sql<VectorRow>`
      select picture_id as "imageId", model, vector, etag from picture_vectors
      where picture_id = any(${imageIds}::bigint[])`.execute(snapshot);
    return () => {
      const former = rowIds.flatMap((rowId) => shown.all(rowId).map(({ imageId }) => imageId));
      for (const rowId of rowIds) hideAll.run(rowId);
      for (const { rowId, imageId } of images.rows) show.run(rowId, imageId);
      for (const imageId of imageIds) removeVectors.run(imageId);
      for (const imageId of new Set(former)) if (!isShown.get(imageId)) removeVectors.run(imageId);
      for (const { imageId, model, vector, etag } of vectors.rows)
        addVector.run(imageId, model, vector, etag);
      for (const { sequence, rowId } of changes) addChange.run(sequence, rowId);
    };
  };
}
