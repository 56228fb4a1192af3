import { setTimeout } from "node:timers/promises";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { ImageProgress, ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import type { DescribeImageDeps } from "./describe-image.ts";
import { createImageWorkers } from "./image-workers.ts";
import { createImageUrlRecording } from "./record-image-urls.ts";

export interface FollowImagesDeps extends DescribeImageDeps {
  catalogStore: Pick<CatalogStore, "changesAfter" | "findByRowIds" | "lastSequence">;
  productImageStore: Omit<ProductImageStore, "lastSequence" | "changesAfter" | "vectorsOf" | "scan">;
}

export interface FollowImagesSettings {
  /** The model to describe images with. */
  model: string;
  /** Number of images in progress: some wait for their hosts while others are described. */
  concurrency: number;
  /** Called from time to time while there is work, and when it is done. */
  onProgress(progress: ImageProgress): void;
  pollMs?: number;
  /** How often to look for images to try again while there is nothing else to do. Default: 1 s. */
  lookEveryMs?: number;
}

export interface ImageFollower {
  /** Resolves when the service's own images that existed at the start are described. Those of other hosts may take long. */
  readonly ready: Promise<void>;
  /** Resolves when following ends. Rejects if it failed, so that a supervisor can react. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const progressEveryMs = 5000;

/**
 * Follows the change log of the catalog and describes the images of its products. Results are stored at once: after a
 * crash, the next process continues where this one stopped.
 */
export function followImages(deps: FollowImagesDeps, settings: FollowImagesSettings): ImageFollower {
  const stopping = new AbortController();
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const ended = follow(deps, settings, stopping.signal, resolve);
  ended.catch(reject);
  ready.catch(() => {});
  return {
    ready,
    ended,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

async function follow(
  deps: FollowImagesDeps,
  settings: FollowImagesSettings,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const { productImageStore, catalogStore } = deps;
  const { pollMs = 100, onProgress } = settings;
  await requeue(productImageStore, settings.model, signal);
  const atStart = await catalogStore.lastSequence();
  const recordImageUrls = createImageUrlRecording(deps);
  const workers = createImageWorkers(deps, settings, signal);
  const reportProgress = createProgressReporter(() => productImageStore.progress(), onProgress);
  let isReady = false;
  while (!signal.aborted) {
    const noted = await recordImageUrls();
    const isBusy = await workers.advance(noted);
    await reportProgress(isBusy || noted);
    if (!isReady && !noted && (await isPrepared(productImageStore, settings.model, atStart))) {
      isReady = true;
      onReady();
    }
    if (!noted) await workers.waitForWork(pollMs);
  }
  await workers.stop();
}

/** Whether the images of our own are described that products show since a change of the catalog. */
export async function isPrepared(
  productImageStore: FollowImagesDeps["productImageStore"],
  model: string,
  atStart: number,
): Promise<boolean> {
  if ((await productImageStore.notedSequence()) < atStart) return false;
  // Own images come first. If the first image due is from another host, or has failed before, all own images are done.
  const [first] = await productImageStore.due(model, 1);
  return first === undefined || first.attempts > 0 || !first.address.startsWith("/");
}

/** Reports progress every few seconds while there is work, and once when it is done. */
function createProgressReporter(
  measure: () => Promise<ImageProgress>,
  onProgress: (progress: ImageProgress) => void,
): (isBusy: boolean) => Promise<void> {
  let toldAt = performance.now();
  let wasBusy = false;
  return async (isBusy) => {
    const now = performance.now();
    if (isBusy ? now - toldAt > progressEveryMs : wasBusy) {
      onProgress(await measure());
      toldAt = now;
    }
    wasBusy = isBusy;
  };
}

async function requeue(
  productImageStore: Pick<ProductImageStore, "requeueWithout">,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined && !signal.aborted; ) {
    last = await productImageStore.requeueWithout(model, last, 1000);
    // Gives another writer its turn.
    await setTimeout(1);
  }
}
