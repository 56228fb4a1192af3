import { setTimeout } from "node:timers/promises";
import { isPassing } from "@product-search/core/is-passing.ts";
import { LeaseLostError } from "@product-search/core/ports/leases.ts";
import type { ImageProgress } from "@product-search/core/ports/product-image-store.ts";
import type { VisionModel } from "@product-search/core/ports/vision-model.ts";
import {
  followImages,
  isPrepared,
} from "@product-search/features/image-search/product-images/follow-images.ts";
import { removeUnusedVectors } from "@product-search/features/image-search/product-images/remove-unused-vectors.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import type { IndexedModel } from "../../adapters/vector-search/generation.ts";
import type { Config } from "../../config.ts";
import type { Stores } from "../stores/stores.ts";

export interface DescribingParts {
  /** The loaded models; the first one is for new descriptors. */
  models: readonly [IndexedModel, ...IndexedModel[]];
  /** Describes with the first model. Requests take precedence. */
  describe: VisionModel["describe"];
  /** Maximum number of images in progress. */
  concurrency: number;
  onProgress(progress: ImageProgress): void;
  onError(error: unknown, what: string): void;
}

/**
 * Describes images and removes the vectors of unused models on one node at a time. On all of them, `ready` settles when
 * those of our own are described.
 */
export function describeImages(
  config: Config,
  stores: Stores,
  parts: DescribingParts,
  modelsInUse: () => string[],
) {
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
        { model, concurrency: parts.concurrency, onProgress: parts.onProgress },
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
    );
    try {
      await describe(lease.signal);
    } catch (error) {
      // The database cannot be reached, or another node has taken over: the work continues later, here or there.
      if (!(error instanceof LeaseLostError || isPassing(error))) throw error;
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
    await setTimeout(500, undefined, { signal }).catch(() => {});
  }
  throw new Error("stopped");
}
