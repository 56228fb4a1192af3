import { setTimeout } from "node:timers/promises";
import { isTransient } from "@product-search/core/errors.ts";
import { pause, untilDone } from "@product-search/core/mechanisms/retry.ts";
import type { ImageProgress, ProductImageStore, VisionModel } from "@product-search/core/ports/images.ts";
import { LeaseLostError } from "@product-search/core/ports/leases.ts";
import {
  followImages,
  isPrepared,
} from "@product-search/features/image-search/product-images/follow-images.ts";
import {
  followModel,
  modelsInUse,
  removeUnusedVectors,
} from "@product-search/features/image-search/product-images/follow-model.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import { followVectors } from "../../adapters/vector-search/follow-vectors.ts";
import {
  type IndexedModel,
  readSearchedModel,
  writeSearchedModel,
} from "../../adapters/vector-search/generation.ts";
import {
  readVectorFile,
  type VectorFile,
  type VectorSegments,
} from "../../adapters/vector-search/vector-file.ts";
import type { Config } from "../../config.ts";
import { openSearchCluster } from "../search/search-cluster.ts";
import type { SearchedVectors } from "../search/search-cluster-types.ts";
import { followVectorsInCluster, type VectorIndex } from "../search/vector-index.ts";
import type { Stores } from "../stores/stores.ts";
import { vectorFolder } from "./vector-file.ts";

export interface ImageParts extends DescribingParts {
  buildFile(model: IndexedModel): Promise<VectorFile>;
  publish(segments: VectorSegments): void;
  /** The same of an index in OpenSearch. */
  publishSearched(searched: SearchedVectors): void;
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
      ? await followVectorsHere(config, stores, searched, parts)
      : followVectorsInCluster(cluster, stores, {
          target: wanted,
          images,
          publish: rememberModel(config.dataDir, parts, parts.publishSearched),
          onError: parts.onError,
        });
  const usedHere = () => modelsInUse(vectors, wanted);
  const describing = describeImages(config, stores, parts, usedHere);
  const stopping = new AbortController();
  const { signal } = stopping;
  const onError = (error: unknown) => parts.onError(error, "what is out of date was not removed");
  const ended = Promise.all([
    vectors.ended,
    describing.ended,
    followModel({ productImageStore: written, vectors }, wanted, onError, signal, stores.untilChange()),
    // A copy is each node's own. The vectors in the source of truth are removed by the node that describes images.
    ...(stores.nodeCopy === undefined ? [] : [removeUnusedVectors(searched, usedHere, onError, signal)]),
  ]);
  const caughtUp = async () => {
    await Promise.race([describing.ready, formerIsSearched(vectors, wanted.model, signal)]);
    const onFault = (error: unknown) => parts.onError(error, "waiting for the number of the last image");
    const last = await untilDone(() => written.lastSequence(), onFault, signal);
    while (last !== undefined && vectors.sequence() < last) await setTimeout(20);
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

/** After a change of the model, the next start finds the file of the model that is searched until then. */
function rememberModel<Searched extends { readonly model: string }>(
  folder: string,
  { models, onError }: Pick<ImageParts, "models" | "onError">,
  publish: (searched: Searched) => void,
) {
  let remembered = readSearchedModel(folder)?.model;
  return (searched: Searched) => {
    publish(searched);
    const loaded = models.find(({ model }) => model === searched.model);
    if (loaded === undefined || loaded.model === remembered) return;
    try {
      writeSearchedModel(folder, loaded);
      remembered = loaded.model;
    } catch (error) {
      onError(error, "the model that is searched was not noted");
    }
  };
}

function followVectorsHere(
  config: Config,
  stores: Stores,
  store: ProductImageStore,
  { models, publish, buildFile, onError }: ImageParts,
): Promise<VectorIndex> {
  const folder = vectorFolder(config, stores);
  const [wanted] = models;
  // A small catalog has no file: all its vectors are in memory.
  const kept = readVectorFile(folder).file ?? readSearchedModel(folder);
  const served = models.find(({ model }) => model === kept?.model) ?? wanted;
  return followVectors({
    store,
    untilChange: stores.untilSearchedChange(),
    folder,
    ...served,
    publish: rememberModel(folder, { models, onError }, publish),
    buildFile,
    onFailure: (error) => onError(error, "the vector file was not written"),
  });
}

/** While the wanted model describes the catalog, images can be searched by another one; else this never settles. */
async function formerIsSearched(vectors: VectorIndex, model: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const searched = vectors.model();
    if (searched === model) break;
    if (searched !== "") return;
    await setTimeout(20);
  }
  await new Promise(() => {});
}

interface DescribingParts {
  /** The loaded models; the first one is for new descriptors. */
  models: readonly [IndexedModel, ...IndexedModel[]];
  /** Describes with the first model. Requests take precedence. */
  describe: VisionModel["describe"];
  /** Maximum number of images of one host in progress. */
  concurrency: number;
  /** As of `followImages`. */
  lookEveryMs?: number | undefined;
  onProgress(progress: ImageProgress): void;
  onError(error: unknown, what: string): void;
}

/**
 * Describes images and removes the vectors of unused models on one node at a time. On all of them, `ready` settles when
 * those of our own are described.
 */
function describeImages(config: Config, stores: Stores, parts: DescribingParts, modelsInUse: () => string[]) {
  const outboundHttp = createUndiciOutboundHttp({
    allowNetworks: config.fetchAllowNetworks,
    httpsOnly: false,
  });
  const [{ model }] = parts.models;
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const leading = stores.leases.lead("pictures", async (lease) => {
    const { written: productImageStore } = stores.productImages(lease);
    const describe = async (signal: AbortSignal) => {
      await productImageStore.useModels([model]);
      const images = followImages(
        { ...stores, productImageStore, outboundHttp, visionModel: { describe: parts.describe } },
        {
          model,
          concurrency: parts.concurrency,
          ...(parts.lookEveryMs !== undefined && { lookEveryMs: parts.lookEveryMs }),
          onProgress: parts.onProgress,
          untilChange: stores.untilChange(),
        },
      );
      images.ready.then(resolve, () => {});
      const stop = () => void images.stop().catch(() => {});
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
      await images.ended;
    };
    const over = new AbortController();
    const removing = removeUnusedVectors(
      productImageStore,
      modelsInUse,
      (error) => parts.onError(error, "vectors of unused models were not removed"),
      AbortSignal.any([lease.signal, over.signal]),
      { untilChange: stores.untilChange() },
    );
    try {
      await describe(lease.signal);
    } catch (error) {
      // The database cannot be reached, or another node has taken over: the work continues later, here or there.
      if (!(error instanceof LeaseLostError || isTransient(error))) throw error;
      parts.onError(error, "images were not described for a moment");
    } finally {
      over.abort();
      await removing;
    }
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
    await pause(500, signal);
  }
  throw new Error("stopped");
}
