import type { ProductImageStore, ProductVectors } from "@product-search/core/ports/product-image-store.ts";
import { type IndexSource, type KeepIndexSettings, keepIndex } from "../cluster/keep-index.ts";
import type { IndexEntry } from "../cluster/write-entries.ts";
import { imagesPerShard, vectorLayout, vectorLayoutVersion, vectorRefreshInterval } from "./vector-layout.ts";
import { toIdentity, type VectorModel } from "./vector-model.ts";

export interface KeepVectorIndexSettings
  extends VectorModel,
    Omit<KeepIndexSettings, "version" | "layout" | "refreshInterval" | "source" | "shards"> {
  /** Default: by the number of images. */
  readonly shards?: number | undefined;
  readonly store: Pick<
    ProductImageStore,
    "lastSequence" | "changesAfter" | "vectorsOf" | "scan" | "discardVectors"
  >;
  readonly markAt: IndexSource["markAt"];
}

/** Maximum number of images per product; further ones are not searched. */
const maxImages = 16;
/** Vectors have half precision, which is less. All digits would be twice as many bytes. */
const significantDigits = 5;

/**
 * Writes the vectors of a model and all their changes. With a new model, searches use the vectors of the former one
 * until all vectors of the new one are there.
 */
export function keepVectorIndex(
  { store, markAt, shards, model, dimensions, ...settings }: KeepVectorIndexSettings,
  signal: AbortSignal,
): Promise<void> {
  async function toEntry({ rowId, vectors }: ProductVectors): Promise<IndexEntry> {
    const usable = vectors.filter(({ length }) => length === dimensions);
    if (usable.length < vectors.length) await store.discardVectors(rowId, model, dimensions);
    const images = usable.slice(0, maxImages).map((vector) => ({ vector: shorten(vector) }));
    return { id: rowId, source: images.length === 0 ? undefined : { images } };
  }
  const toEntries = (products: readonly ProductVectors[]) => Promise.all(products.map(toEntry));
  return keepIndex(
    {
      ...settings,
      version: vectorLayoutVersion,
      layout: vectorLayout(dimensions),
      shards: { chosen: shards, entriesEach: imagesPerShard },
      refreshInterval: vectorRefreshInterval,
      source: {
        identity: toIdentity({ model, dimensions }),
        markAt,
        lastSequence: () => store.lastSequence(),
        changesAfter: (sequence, limit) => store.changesAfter(sequence, limit),
        read: async (rowIds) => toEntries(await store.vectorsOf(rowIds, model)),
        scan: async (afterRowId, limit) => toEntries(await store.scan(model, afterRowId, limit)),
      },
    },
    signal,
  );
}

function shorten(vector: Float32Array): number[] {
  return Array.from(vector, (value) => Number(value.toPrecision(significantDigits)));
}
