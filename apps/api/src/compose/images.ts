import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type LearnedModelFiles, loadVisionModel } from "@product-search/vision";
import { createUndiciOutboundHttp } from "../adapters/outbound-http/undici.ts";
import { buildVectorFile } from "../adapters/vector-search/build-vector-file.ts";
import { followVectors } from "../adapters/vector-search/follow-vectors.ts";
import type { IndexedModel } from "../adapters/vector-search/generation.ts";
import { createUsearchVectorSearch } from "../adapters/vector-search/usearch.ts";
import { readVectorFile, type VectorFile } from "../adapters/vector-search/vector-file.ts";
import type { VectorSegments } from "../adapters/vector-search/vector-segments.ts";
import { createInProcessVisionModel } from "../adapters/vision-model/in-process.ts";
import { createVisionPool, type VisionPoolSettings } from "../adapters/vision-model/pool.ts";
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { followImages, isPrepared } from "../features/image-search/product-images/follow-images.ts";
import { purgeImages } from "../features/image-search/product-images/purge-images.ts";
import { LeaseLostError } from "../ports/leases.ts";
import type { ImageProgress, ProductImageStore } from "../ports/product-image-store.ts";
import type { UploadedImageStore } from "../ports/uploaded-image-store.ts";
import type { VectorSearch } from "../ports/vector-search.ts";
import type { VisionModel } from "../ports/vision-model.ts";
import { openSearchCluster } from "./search/search-cluster.ts";
import type { SearchCluster, SearchedVectors } from "./search/search-cluster-types.ts";
import { followVectorsInCluster, type VectorIndex } from "./search/vector-index.ts";
import { openNodeCopy } from "./stores/node-copy.ts";
import type { Stores } from "./stores/stores.ts";

export type { IndexedModel } from "../adapters/vector-search/generation.ts";
export type { VectorFile } from "../adapters/vector-search/vector-file.ts";
export type { VectorSegments } from "../adapters/vector-search/vector-segments.ts";

type ImageSearchStores = Pick<Stores, "clock" | "uploadedImages" | "productImages" | "nodeCopy">;

/** How an HTTP thread calls the vision threads and the thread of the vector index. */
export interface ImageFeeds extends VisionPoolSettings {
  /** Where SEARCH_URL is set: vectors are searched there. */
  searchCluster?: SearchCluster | undefined;
  searchedVectors?: ((receive: (searched: SearchedVectors) => void) => void) | undefined;
  vectors(receive: (segments: VectorSegments) => void): void;
}

export interface ImagePorts {
  uploadedImageStore: UploadedImageStore;
  productImageStore: Pick<ProductImageStore, "vectorsOf">;
  visionModel: VisionModel;
  vectorSearch: VectorSearch;
}

export function composeImagePorts(stores: ImageSearchStores, feeds: ImageFeeds): ImagePorts {
  const { searchCluster, searchedVectors, vectors } = feeds;
  const vectorSearch =
    searchCluster && searchedVectors
      ? searchCluster.vectorSearch(searchedVectors)
      : createUsearchVectorSearch({ subscribe: vectors });
  return {
    uploadedImageStore: stores.uploadedImages(),
    productImageStore: stores.productImages().searched,
    visionModel: createVisionPool(feeds, vectorSearch.model),
    vectorSearch,
  };
}

function vectorFolder({ dataDir }: Pick<Config, "dataDir">, { nodeCopy }: Pick<Stores, "nodeCopy">): string {
  return nodeCopy?.indexFolder("vectors") ?? join(dataDir, "vectors");
}

/** For threads that do not open a database. */
async function keptVectorFolder(config: Pick<Config, "dataDir" | "databaseUrl">): Promise<string> {
  if (config.databaseUrl === undefined) return vectorFolder(config, { nodeCopy: undefined });
  const nodeCopy = await openNodeCopy(config);
  const folder = vectorFolder(config, { nodeCopy });
  await nodeCopy.close();
  return folder;
}

export interface LoadedModel extends IndexedModel {
  see: VisionModel;
}

/**
 * The model for new descriptors, then the model of the existing index if that is another one and can still be loaded.
 * If the wanted model cannot be loaded, it fails with a message that says what to do.
 */
export async function composeVisionModels(
  config: Pick<Config, "dataDir" | "databaseUrl" | "visionModel" | "visionDetector">,
  onError: (error: unknown, what: string) => void,
): Promise<[LoadedModel, ...LoadedModel[]]> {
  const { visionModel, visionDetector } = config;
  const wanted = await loadModel({ encoder: visionModel, detector: visionDetector });
  const kept = readVectorFile(await keptVectorFolder(config)).file;
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

/** Writes a new vector file. This takes seconds to many minutes of CPU time on the calling thread. */
export function composeVectorFileBuilder(
  config: Config,
  stores: ImageSearchStores,
): (model: IndexedModel, signal?: AbortSignal) => Promise<VectorFile> {
  const { searched: store } = stores.productImages();
  return (model, signal) =>
    buildVectorFile({ store, folder: vectorFolder(config, stores), signal, ...model });
}

export interface ImageParts {
  /** The loaded models; the first one is for new descriptors. */
  models: readonly [IndexedModel, ...IndexedModel[]];
  /** Describes with the first model. Requests take precedence. */
  describe: VisionModel["describe"];
  /** Maximum number of images in progress. */
  concurrency: number;
  buildFile(model: IndexedModel): Promise<VectorFile>;
  publish(segments: VectorSegments): void;
  /** The same of an index in OpenSearch. */
  publishSearched(searched: SearchedVectors): void;
  onProgress(progress: ImageProgress): void;
  onError(error: unknown, what: string): void;
}

export interface ImageKeeper {
  /** Why the saved vector file was not used; undefined if it was. */
  unusable: string | undefined;
  progress(): Promise<ImageProgress>;
  /** Resolves when the service's own images of the catalog can be searched. */
  ready: Promise<void>;
  /** Rejects if the work failed, so that a supervisor can react. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Keeps the catalog's images described and their vectors searchable. `stores` must not be shared. */
export async function composeImages(config: Config, stores: Stores, parts: ImageParts): Promise<ImageKeeper> {
  const images = stores.productImages();
  const { written, searched } = images;
  const [wanted] = parts.models;
  const cluster = await openSearchCluster(config);
  const vectors: VectorIndex =
    cluster === undefined
      ? await followVectorsHere(vectorFolder(config, stores), searched, parts)
      : followVectorsInCluster(cluster, stores, {
          wanted,
          images,
          publish: parts.publishSearched,
          onError: parts.onError,
        });
  const describing = describeImages(config, stores, parts);
  const stopping = new AbortController();
  const purging = purgeImages(
    { productImageStore: searched, uploadedImageStore: stores.uploadedImages(), vectors },
    wanted,
    (error) => parts.onError(error, "what is out of date was not removed"),
    stopping.signal,
  );
  const ended = Promise.all([vectors.ended, describing.ended, purging]);
  const caughtUp = async () => {
    await Promise.race([describing.ready, formerIsSearched(vectors, wanted.model, stopping.signal)]);
    const last = await written.lastSequence();
    while (vectors.sequence() < last) await setTimeout(20);
  };
  return {
    unusable: vectors.unusable,
    progress: () => written.progress(),
    ready: caughtUp(),
    ended,
    async stop() {
      stopping.abort();
      await Promise.all([describing.stop(), vectors.stop()]);
    },
  };
}

function followVectorsHere(
  folder: string,
  store: ProductImageStore,
  { models, publish, buildFile, onError }: ImageParts,
): Promise<VectorIndex> {
  const [wanted] = models;
  const kept = readVectorFile(folder).file;
  const served = models.find(({ model }) => model === kept?.model) ?? wanted;
  return followVectors({
    store,
    folder,
    ...served,
    publish,
    buildFile,
    onFailure: (error) => onError(error, "the vector file was not written"),
  });
}

/** While the wanted model describes the catalog, images can be searched by another one; else this never settles. */
async function formerIsSearched(vectors: VectorIndex, wanted: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const searched = vectors.model();
    if (searched === wanted) break;
    if (searched !== "") return;
    await setTimeout(20);
  }
  await new Promise(() => {});
}

/** Describes images on one node at a time. On all of them, `ready` settles when those of our own are described. */
function describeImages(config: Config, stores: Stores, parts: ImageParts) {
  const outboundHttp = createUndiciOutboundHttp({
    allowNetworks: config.fetchAllowNetworks,
    httpsOnly: false,
  });
  const [{ model }] = parts.models;
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const leading = stores.leases.lead("pictures", async (lease) => {
    const { written: productImageStore } = stores.productImages(lease);
    const images = followImages(
      { ...stores, productImageStore, outboundHttp, visionModel: { describe: parts.describe } },
      { model, concurrency: parts.concurrency, onProgress: parts.onProgress },
    );
    images.ready.then(resolve, () => {});
    const stop = () => void images.stop().catch(() => {});
    lease.signal.addEventListener("abort", stop);
    if (lease.signal.aborted) stop();
    await images.ended.catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      parts.onError(error, "images were not described for a moment");
    });
  });
  const stopping = new AbortController();
  if (stores.nodeCopy !== undefined) untilDescribed(stores, model, stopping.signal).then(resolve, () => {});
  return {
    ready,
    ended: leading.ended,
    async stop() {
      stopping.abort();
      await leading.stop();
      await outboundHttp.close();
    },
  };
}

/** The database cannot be reached, or another node has taken over: the work continues later, here or there. */
function isPassing(error: unknown): boolean {
  return error instanceof LeaseLostError || (error instanceof ApiError && error.code === "unavailable");
}

/** For a node that does not describe images itself. */
async function untilDescribed(stores: Stores, model: string, signal: AbortSignal): Promise<void> {
  const { written } = stores.productImages();
  let atStart: number | undefined;
  while (!signal.aborted) {
    try {
      atStart ??= await stores.catalogStore.lastSequence();
      if (await isPrepared(written, model, atStart)) return;
    } catch {
      // The database cannot be reached; try again.
    }
    await setTimeout(500, undefined, { signal }).catch(() => {});
  }
  throw new Error("stopped");
}
