import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type LearnedModelFiles, loadVisionModel } from "@product-search/vision";
import type { OpenDatabase } from "../adapters/database/open.ts";
import { createUndiciOutboundHttp } from "../adapters/outbound-http/undici.ts";
import { createSqliteProductImageStore } from "../adapters/product-image-store/sqlite.ts";
import { deriveKey } from "../adapters/secret-box/aes-gcm.ts";
import { createSqlUploadedImageStore } from "../adapters/uploaded-image-store/sql.ts";
import { buildVectorFile } from "../adapters/vector-search/build-vector-file.ts";
import { followVectors } from "../adapters/vector-search/follow-vectors.ts";
import type { IndexedModel } from "../adapters/vector-search/generation.ts";
import { createUsearchVectorSearch } from "../adapters/vector-search/usearch.ts";
import { readVectorFile, type VectorFile } from "../adapters/vector-search/vector-file.ts";
import type { VectorSegments } from "../adapters/vector-search/vector-segments.ts";
import { createInProcessVisionModel } from "../adapters/vision-model/in-process.ts";
import { createVisionPool, type VisionPoolSettings } from "../adapters/vision-model/pool.ts";
import type { Config } from "../config.ts";
import { followImages } from "../features/image-search/product-images/follow-images.ts";
import { purgeImages } from "../features/image-search/product-images/purge-images.ts";
import type { CatalogStore } from "../ports/catalog-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { LocalImages } from "../ports/local-images.ts";
import type { ImageProgress, ProductImageStore } from "../ports/product-image-store.ts";
import type { UploadedImageStore } from "../ports/uploaded-image-store.ts";
import type { VectorSearch } from "../ports/vector-search.ts";
import type { VisionModel } from "../ports/vision-model.ts";

export type { IndexedModel } from "../adapters/vector-search/generation.ts";
export type { VectorFile } from "../adapters/vector-search/vector-file.ts";
export type { VectorSegments } from "../adapters/vector-search/vector-segments.ts";

const dayMs = 24 * 3600 * 1000;

interface ImageSearchStores {
  database: OpenDatabase;
  clock: Clock;
}

/** How a thread that responds requests reaches those that see and the one that keeps the vectors. */
export interface ImageFeeds extends VisionPoolSettings {
  vectors(receive: (segments: VectorSegments) => void): void;
}

export interface ImagePorts {
  uploadedImageStore: UploadedImageStore;
  productImageStore: Pick<ProductImageStore, "vectorsOf">;
  visionModel: VisionModel;
  vectorSearch: VectorSearch;
}

export function composeImagePorts(config: Config, stores: ImageSearchStores, feeds: ImageFeeds): ImagePorts {
  const vectorSearch = createUsearchVectorSearch({ subscribe: feeds.vectors });
  return {
    uploadedImageStore: composeUploadedImageStore(config, stores),
    productImageStore: composeProductImageStore(stores),
    visionModel: createVisionPool(feeds, vectorSearch.model),
    vectorSearch,
  };
}

function composeUploadedImageStore(
  config: Config,
  { database, clock }: ImageSearchStores,
): UploadedImageStore {
  return createSqlUploadedImageStore({
    db: database.db,
    clock,
    slugKey: deriveKey(config, "image slugs"),
    lifetimeMs: config.imageSlugDays * dayMs,
  });
}

function composeProductImageStore({ database, clock }: ImageSearchStores): ProductImageStore {
  return createSqliteProductImageStore({ connection: database.connection, clock });
}

function vectorFolder({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "vectors");
}

export interface LoadedModel extends IndexedModel {
  see: VisionModel;
}

/**
 * The model that new descriptors come from, then the one that the kept index was made with, when that is another and can
 * still be loaded. Fails, saying what to do, when the wanted one cannot.
 */
export async function composeVisionModels(
  { dataDir, visionModel, visionDetector }: Pick<Config, "dataDir" | "visionModel" | "visionDetector">,
  onError: (error: unknown, what: string) => void,
): Promise<[LoadedModel, ...LoadedModel[]]> {
  const wanted = await loadModel({ encoder: visionModel, detector: visionDetector });
  const kept = readVectorFile(vectorFolder({ dataDir })).file;
  if (kept === undefined || kept.model === wanted.model) return [wanted];
  try {
    const former = await loadModel({ encoder: kept.encoder, detector: visionDetector });
    if (former.model === kept.model) return [wanted, former];
  } catch (error) {
    onError(error, "the former vision model cannot be loaded: its index is not used any more");
  }
  return [wanted];
}

async function loadModel(files: LearnedModelFiles): Promise<LoadedModel> {
  const engine = await loadVisionModel(files);
  const { id, dimensions } = engine;
  return { model: id, dimensions, encoder: files.encoder, see: createInProcessVisionModel(engine) };
}

/** Writes the vector file anew; the calling thread computes for seconds up to many minutes. */
export function composeVectorFileBuilder(
  config: Config,
  stores: ImageSearchStores,
): (model: IndexedModel, signal?: AbortSignal) => Promise<VectorFile> {
  const store = composeProductImageStore(stores);
  return (model, signal) => buildVectorFile({ store, folder: vectorFolder(config), signal, ...model });
}

export interface ImageParts {
  /** Those that the seeing threads have loaded; new descriptors come from the first. */
  models: readonly [IndexedModel, ...IndexedModel[]];
  /** Describes by the first of the models, after whatever requests wait for. */
  describe: VisionModel["describe"];
  /** How many images may be under way at once. */
  concurrency: number;
  buildFile(model: IndexedModel): Promise<VectorFile>;
  publish(segments: VectorSegments): void;
  onProgress(progress: ImageProgress): void;
  onError(error: unknown, what: string): void;
}

export interface ImageKeeper {
  /** Why the kept vector file was not used; undefined when it was. */
  unusable: string | undefined;
  progress(): Promise<ImageProgress>;
  /** Settles when our own images of the catalog can be searched. */
  ready: Promise<void>;
  /** Rejects when the work failed, for whoever supervises it. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Keeps the catalog's images described and their vectors searchable; `stores` must be its own. */
export async function composeImages(
  config: Config,
  stores: ImageSearchStores & { catalogStore: CatalogStore; localImages: LocalImages },
  parts: ImageParts,
): Promise<ImageKeeper> {
  const productImageStore = composeProductImageStore(stores);
  const outboundHttp = createUndiciOutboundHttp({
    allowNetworks: config.fetchAllowNetworks,
    httpsOnly: false,
  });
  const folder = vectorFolder(config);
  const [wanted] = parts.models;
  const kept = readVectorFile(folder).file;
  const served = parts.models.find(({ model }) => model === kept?.model) ?? wanted;
  const vectors = await followVectors({
    store: productImageStore,
    folder,
    ...served,
    publish: parts.publish,
    buildFile: parts.buildFile,
    onFailure: (error) => parts.onError(error, "the vector file was not written"),
  });
  const images = followImages(
    { ...stores, productImageStore, outboundHttp, visionModel: { describe: parts.describe } },
    { model: wanted.model, concurrency: parts.concurrency, onProgress: parts.onProgress },
  );
  const stopping = new AbortController();
  const uploadedImageStore = composeUploadedImageStore(config, stores);
  const purging = purgeImages(
    { productImageStore, uploadedImageStore, vectors },
    wanted,
    (error) => parts.onError(error, "what is out of date was not removed"),
    stopping.signal,
  );
  const ended = Promise.all([vectors.ended, images.ended, purging]);
  const caughtUp = async () => {
    await images.ready;
    const last = await productImageStore.lastSequence();
    while (vectors.sequence() < last) await setTimeout(20);
  };
  return {
    unusable: vectors.unusable,
    progress: () => productImageStore.progress(),
    ready: caughtUp(),
    ended,
    async stop() {
      stopping.abort();
      await Promise.all([images.stop(), vectors.stop()]);
      await outboundHttp.close();
    },
  };
}
