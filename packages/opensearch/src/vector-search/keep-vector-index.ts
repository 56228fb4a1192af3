import { typicalSimilarity } from "@product-search/core/domain/similarity.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { ProductImageStore, ProductVectors } from "@product-search/core/ports/images.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findBuiltIndex } from "../cluster/index-names.ts";
import { type IndexSource, type KeepIndexSettings, keepIndex } from "../cluster/keep-index.ts";
import type { IndexEntry } from "../cluster/write-entries.ts";

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

/** The index that was behind the alias when it was last read. */
export interface SearchedVectors extends VectorModel {
  /** Searched by this name: the alias may already be moved to an index of another model. */
  readonly index: string;
  /** The typical similarity of two products. */
  readonly typicalSimilarity: number;
  /** The sequence of the last change that is included. */
  readonly sequence: number;
}

interface FollowVectorModelSettings {
  readonly cluster: Cluster;
  readonly alias: string;
  readonly store: Pick<ProductImageStore, "scan">;
  readonly publish: (searched: SearchedVectors) => void;
  /** Called once if the index cannot be read; reading is retried. */
  readonly onError: (error: unknown) => void;
  readonly pollMs?: number;
  readonly measureMs?: number;
}

/** Checks at intervals which model's vectors are searched, until the signal aborts. */
export async function followVectorModel(
  { cluster, alias, store, publish, onError, pollMs = 1_000, measureMs = 600_000 }: FollowVectorModelSettings,
  signal: AbortSignal,
): Promise<void> {
  let last: SearchedVectors | undefined;
  let measuredAtMs = 0;
  for (let hasFailed = false; !signal.aborted; ) {
    try {
      const built = await findBuiltIndex(cluster, alias);
      const found = built && {
        ...fromIdentity(built.identity),
        index: built.name,
        sequence: built.sequence,
      };
      if (found !== undefined && (found.index !== last?.index || found.sequence !== last.sequence)) {
        const isDue = found.model !== last?.model || performance.now() >= measuredAtMs + measureMs;
        const measured = isDue
          ? await typicalSimilarity(store, found.model, undefined)
          : last?.typicalSimilarity;
        if (isDue) measuredAtMs = performance.now();
        last = { ...found, typicalSimilarity: measured ?? 0 };
        publish(last);
      }
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    }
    await pause(pollMs, signal);
  }
}

/** The model whose vectors an index holds. */
interface VectorModel {
  readonly model: string;
  readonly dimensions: number;
}

/** As the record of an index has it. */
function toIdentity({ model, dimensions }: VectorModel): string {
  return `${dimensions} ${model}`;
}

export function fromIdentity(identity: string): VectorModel {
  const [dimensions = "", ...model] = identity.split(" ");
  return { dimensions: Number(dimensions), model: model.join(" ") };
}
