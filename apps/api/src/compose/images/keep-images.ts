import { setTimeout } from "node:timers/promises";
import type { ImageProgress, ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import {
  followModel,
  modelsInUse,
} from "@product-search/features/image-search/product-images/follow-model.ts";
import { removeUnusedVectors } from "@product-search/features/image-search/product-images/remove-unused-vectors.ts";
import { followVectors } from "../../adapters/vector-search/follow-vectors.ts";
import type { IndexedModel } from "../../adapters/vector-search/generation.ts";
import { readSearchedModel, writeSearchedModel } from "../../adapters/vector-search/searched-model-file.ts";
import { readVectorFile, type VectorFile } from "../../adapters/vector-search/vector-file.ts";
import type { VectorSegments } from "../../adapters/vector-search/vector-segments.ts";
import type { Config } from "../../config.ts";
import { openSearchCluster } from "../search/search-cluster.ts";
import type { SearchedVectors } from "../search/search-cluster-types.ts";
import { followVectorsInCluster, type VectorIndex } from "../search/vector-index.ts";
import type { Stores } from "../stores/stores.ts";
import { untilDone } from "../until-done.ts";
import { type DescribingParts, describeImages } from "./describe-images.ts";
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
      ? await followVectorsHere(vectorFolder(config, stores), searched, parts)
      : followVectorsInCluster(cluster, stores, {
          wanted,
          images,
          publish: rememberModel(config, parts),
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
    followModel({ productImageStore: written, vectors }, wanted, onError, signal),
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
function rememberModel({ dataDir }: Config, { models, publishSearched, onError }: ImageParts) {
  let remembered = readSearchedModel(dataDir)?.model;
  return (searched: SearchedVectors) => {
    publishSearched(searched);
    const loaded = models.find(({ model }) => model === searched.model);
    if (loaded === undefined || loaded.model === remembered) return;
    try {
      writeSearchedModel(dataDir, loaded);
      remembered = loaded.model;
    } catch (error) {
      onError(error, "the model that is searched was not noted");
    }
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
