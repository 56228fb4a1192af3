import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ProductImageStore, ProductVectors } from "@product-search/core/ports/images.ts";
import type { Index } from "usearch";
import type { IndexedModel } from "./generation.ts";
import {
  createIndex,
  imagesPerKey,
  readVectorFile,
  type VectorFile,
  writeVectorFile,
} from "./vector-file.ts";

export interface BuildVectorFileSettings extends IndexedModel {
  store: Pick<ProductImageStore, "lastSequence" | "changesAfter" | "vectorsOf" | "scan">;
  folder: string;
  /** Stops the work when the file is no longer needed. */
  signal?: AbortSignal | undefined;
}

const batch = 256;

/**
 * Writes a base file with everything up to now: the former file plus the changes since then. If there is no file of this
 * model, all vectors of the store. It uses the CPU for a long time: run it in its own thread.
 */
export async function buildVectorFile(settings: BuildVectorFileSettings): Promise<VectorFile> {
  const { folder, model, dimensions, encoder } = settings;
  const { file: former } = readVectorFile(folder);
  const last = await settings.store.lastSequence();
  const usable = former?.model === model && former.dimensions === dimensions && former.sequence <= last;
  const index = createIndex(dimensions);
  if (usable) index.load(join(folder, former.file));
  const { sequence, maxRowId } = usable
    ? await addChanges(settings, index, former)
    : await addAll(settings, index, last);
  return writeVectorFile(folder, index, { model, dimensions, encoder, sequence, maxRowId });
}

interface Reached {
  sequence: number;
  maxRowId: number;
}

async function addAll(
  { store, model, signal }: BuildVectorFileSettings,
  index: Index,
  last: number,
): Promise<Reached> {
  let maxRowId = 0;
  for (;;) {
    signal?.throwIfAborted();
    const products = await store.scan(model, maxRowId, batch);
    if (products.length === 0) return { sequence: last, maxRowId };
    add(index, products);
    maxRowId = products.at(-1)?.rowId ?? maxRowId;
    await setImmediate();
  }
}

async function addChanges(
  { store, model, signal }: BuildVectorFileSettings,
  index: Index,
  former: Reached,
): Promise<Reached> {
  let { sequence, maxRowId } = former;
  for (;;) {
    signal?.throwIfAborted();
    const changes = await store.changesAfter(sequence, batch);
    const last = changes.at(-1);
    if (last === undefined) return { sequence, maxRowId };
    const rowIds = changes.map(({ rowId }) => rowId);
    remove(index, rowIds);
    add(index, await store.vectorsOf(rowIds, model));
    maxRowId = Math.max(maxRowId, ...rowIds);
    sequence = last.sequence;
    await setImmediate();
  }
}

function remove(index: Index, rowIds: readonly number[]): void {
  for (const rowId of rowIds) {
    for (let image = 0; image < imagesPerKey; image++) {
      const key = keyOf(rowId, image);
      // Images are numbered from 0 without gaps.
      if (index.contains(key) !== true) break;
      index.remove(key);
    }
  }
}

function add(index: Index, products: readonly ProductVectors[]): void {
  for (const { rowId, vectors } of products) {
    // Vectors of other lengths are handled by the follower. usearch would read one of twice the length as two vectors.
    const usable = vectors.filter(({ length }) => length === index.dimensions());
    for (const [image, vector] of usable.slice(0, imagesPerKey).entries()) {
      index.add(keyOf(rowId, image), vector, 1);
    }
  }
}

function keyOf(rowId: number, image: number): bigint {
  return BigInt(rowId) * BigInt(imagesPerKey) + BigInt(image);
}
