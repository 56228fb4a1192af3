import type { ProductImageStore, ProductVectors } from "@product-search/core/ports/product-image-store.ts";
import { type IndexSource, type KeepIndexSettings, keepIndex } from "../cluster/keep-index.ts";
import type { IndexEntry } from "../cluster/write-entries.ts";
import { toIdentity, type VectorModel } from "./vector-model.ts";

/**
 * Increase it with every change that makes stored documents unusable: a new index is then built next to the old one.
 */
const vectorLayoutVersion = 1;

/** A shard with more takes long to search and much memory on one node. */
const imagesPerShard = 1_000_000;

const vectorRefreshInterval = "500ms";

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

/**
 * One document per product with its images below it, so that a search finds the product by its best image. Vectors
 * have length 1, so the inner product is their similarity. The Lucene engine is part of every OpenSearch with the
 * k-NN plugin, and stores vectors in ordinary segments, which are copied and moved with the index.
 */
function vectorLayout(dimensions: number) {
  return {
    settings: {
      knn: true,
      gc_deletes: "1h",
    },
    mappings: {
      dynamic: false,
      _source: { enabled: false },
      properties: {
        images: {
          type: "nested",
          properties: {
            vector: {
              type: "knn_vector",
              dimension: dimensions,
              method: { name: "hnsw", engine: "lucene", space_type: "innerproduct" },
            },
          },
        },
      },
    },
  };
}
