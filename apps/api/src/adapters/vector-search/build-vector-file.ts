import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Index } from "usearch";
import type { ProductImageStore, ProductVectors } from "../../ports/product-image-store.ts";
import type { IndexedModel } from "./generation.ts";
import { createIndex, readVectorFile, type VectorFile, writeVectorFile } from "./vector-file.ts";
import { imagesPerKey } from "./vector-segments.ts";

export interface BuildVectorFileSettings extends IndexedModel {
  store: Pick<ProductImageStore, "lastSequence" | "changesAfter" | "vectorsOf" | "scan">;
  folder: string;
  /** Stops the work when nobody waits for the file any more. */
  signal?: AbortSignal | undefined;
}

const batch = 256;

/**
 * Writes a base file that holds everything up to now: the former file with what changed since, or, where there is none
 * of this model, all vectors of the store. Computes for long: give it a thread of its own.
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
      // Images are numbered from 0 without holes.
      if (index.contains(key) !== true) break;
      index.remove(key);
    }
  }
}

function add(index: Index, products: readonly ProductVectors[]): void {
  for (const { rowId, vectors } of products) {
    // Whoever follows the changes sets the others apart. usearch would take one of twice the length for two vectors.
    const usable = vectors.filter(({ length }) => length === index.dimensions());
    for (const [image, vector] of usable.slice(0, imagesPerKey).entries()) {
      index.add(keyOf(rowId, image), vector, 1);
    }
  }
}

function keyOf(rowId: number, image: number): bigint {
  return BigInt(rowId) * BigInt(imagesPerKey) + BigInt(image);
}
