import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type LearnedModelFiles, loadVisionModel } from "@product-search/vision";
import type { OpenDatabase } from "../adapters/database/open.ts";
import { createSqliteImageStore } from "../adapters/image-store/sqlite.ts";
import { createUndiciOutboundHttp } from "../adapters/outbound-http/undici.ts";
import { createSqlitePictureStore } from "../adapters/picture-store/sqlite.ts";
import { deriveKey } from "../adapters/secret-box/aes-gcm.ts";
import { buildVectorFile } from "../adapters/vector-search/build-vector-file.ts";
import { followVectors } from "../adapters/vector-search/follow-vectors.ts";
import type { IndexedModel } from "../adapters/vector-search/generation.ts";
import { createUsearchVectorSearch } from "../adapters/vector-search/usearch.ts";
import { readVectorFile, type VectorFile } from "../adapters/vector-search/vector-file.ts";
import type { VectorSegments } from "../adapters/vector-search/vector-segments.ts";
import { createInProcessVisionModel } from "../adapters/vision-model/in-process.ts";
import { createVisionPool, type VisionPoolSettings } from "../adapters/vision-model/pool.ts";
import type { Config } from "../config.ts";
import { followPictures } from "../features/image-search/pictures/follow-pictures.ts";
import { purgeImages } from "../features/image-search/pictures/purge-images.ts";
import type { CatalogStore } from "../ports/catalog-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { ImageStore } from "../ports/image-store.ts";
import type { LocalPictures } from "../ports/local-pictures.ts";
import type { PictureProgress, PictureStore } from "../ports/picture-store.ts";
import type { VectorSearch } from "../ports/vector-search.ts";
import type { VisionModel } from "../ports/vision-model.ts";

export type { IndexedModel } from "../adapters/vector-search/generation.ts";
export type { VectorFile } from "../adapters/vector-search/vector-file.ts";
export type { VectorSegments } from "../adapters/vector-search/vector-segments.ts";

const dayMs = 24 * 3600 * 1000;

interface ImageStores {
  database: OpenDatabase;
  clock: Clock;
}

/** How a thread that responds requests reaches those that see and the one that keeps the vectors. */
export interface ImageFeeds extends VisionPoolSettings {
  vectors(receive: (segments: VectorSegments) => void): void;
}

export interface ImagePorts {
  imageStore: ImageStore;
  pictureStore: Pick<PictureStore, "vectorsOf">;
  visionModel: VisionModel;
  vectorSearch: VectorSearch;
}

export function composeImagePorts(config: Config, stores: ImageStores, feeds: ImageFeeds): ImagePorts {
  const vectorSearch = createUsearchVectorSearch({ subscribe: feeds.vectors });
  return {
    imageStore: composeImageStore(config, stores),
    pictureStore: composePictureStore(stores),
    visionModel: createVisionPool(feeds, vectorSearch.model),
    vectorSearch,
  };
}

function composeImageStore(config: Config, { database, clock }: ImageStores): ImageStore {
  return createSqliteImageStore({
    db: database.db,
    clock,
    slugKey: deriveKey(config, "image slugs"),
    lifetimeMs: config.imageSlugDays * dayMs,
  });
}

function composePictureStore({ database, clock }: ImageStores): PictureStore {
  return createSqlitePictureStore({ connection: database.connection, clock });
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
  stores: ImageStores,
): (model: IndexedModel, signal?: AbortSignal) => Promise<VectorFile> {
  const store = composePictureStore(stores);
  return (model, signal) => buildVectorFile({ store, folder: vectorFolder(config), signal, ...model });
}

export interface PictureParts {
  /** Those that the seeing threads have loaded; new descriptors come from the first. */
  models: readonly [IndexedModel, ...IndexedModel[]];
  /** Describes by the first of the models, after whatever requests wait for. */
  describe: VisionModel["describe"];
  /** How many pictures may be under way at once. */
  concurrency: number;
  buildFile(model: IndexedModel): Promise<VectorFile>;
  publish(segments: VectorSegments): void;
  onProgress(progress: PictureProgress): void;
  onError(error: unknown, what: string): void;
}

export interface PictureKeeper {
  /** Why the kept vector file was not used; undefined when it was. */
  unusable: string | undefined;
  progress(): Promise<PictureProgress>;
  /** Settles when our own pictures of the catalog can be searched. */
  ready: Promise<void>;
  /** Rejects when the work failed, for whoever supervises it. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Keeps the catalog's pictures described and their vectors searchable; `stores` must be its own. */
export async function composePictures(
  config: Config,
  stores: ImageStores & { catalogStore: CatalogStore; localPictures: LocalPictures },
  parts: PictureParts,
): Promise<PictureKeeper> {
  const pictureStore = composePictureStore(stores);
  const outboundHttp = createUndiciOutboundHttp({
    allowNetworks: config.fetchAllowNetworks,
    httpsOnly: false,
  });
  const folder = vectorFolder(config);
  const [wanted] = parts.models;
  const kept = readVectorFile(folder).file;
  const served = parts.models.find(({ model }) => model === kept?.model) ?? wanted;
  const vectors = await followVectors({
    store: pictureStore,
    folder,
    ...served,
    publish: parts.publish,
    buildFile: parts.buildFile,
    onFailure: (error) => parts.onError(error, "the vector file was not written"),
  });
  const pictures = followPictures(
    { ...stores, pictureStore, outboundHttp, visionModel: { describe: parts.describe } },
    { model: wanted.model, concurrency: parts.concurrency, onProgress: parts.onProgress },
  );
  const stopping = new AbortController();
  const imageStore = composeImageStore(config, stores);
  const purging = purgeImages(
    { pictureStore, imageStore, vectors },
    wanted,
    (error) => parts.onError(error, "what is out of date was not removed"),
    stopping.signal,
  );
  const ended = Promise.all([vectors.ended, pictures.ended, purging]);
  const caughtUp = async () => {
    await pictures.ready;
    const last = await pictureStore.lastSequence();
    while (vectors.sequence() < last) await setTimeout(20);
  };
  return {
    unusable: vectors.unusable,
    progress: () => pictureStore.progress(),
    ready: caughtUp(),
    ended,
    async stop() {
      stopping.abort();
      await Promise.all([pictures.stop(), vectors.stop()]);
      await outboundHttp.close();
    },
  };
}
