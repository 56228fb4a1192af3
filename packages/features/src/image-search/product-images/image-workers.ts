import { setTimeout } from "node:timers/promises";
import type { ImageOutcome, ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import { type DescribeImageDeps, describeImage } from "./describe-image.ts";

export interface ImageWorkersDeps extends DescribeImageDeps {
  productImageStore: Pick<ProductImageStore, "due" | "record">;
}

export interface ImageWorkersSettings {
  model: string;
  concurrency: number;
  lookEveryMs?: number;
}

export interface ImageWorkers {
  /** Records finished images and starts those that are due; false if there is nothing to do. */
  advance(hasNewImages: boolean): Promise<boolean>;
  /** Waits until an image is finished, or for this time. */
  waitForWork(ms: number): Promise<void>;
  /** Waits for images in progress and records them. */
  stop(): Promise<void>;
}

/** Limits of one transaction, in outcomes and in time. A transaction per outcome would cost more than the outcome. */
const outcomeBatchSize = 32;
const recordEveryMs = 150;

/** Describes several images at a time. A slow host delays only its own images. */
export function createImageWorkers(
  deps: ImageWorkersDeps,
  { model, concurrency, lookEveryMs = 1000 }: ImageWorkersSettings,
  signal: AbortSignal,
): ImageWorkers {
  const { productImageStore } = deps;
  const underWay = new Map<number, Promise<void>>();
  let outcomes: ImageOutcome[] = [];
  let recordedAt = performance.now();
  /** Not before this time if there are no new images: none was due. */
  let lookAtMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let isWoken = false;
  let wake = () => {};

  async function record(): Promise<void> {
    const done = outcomes;
    outcomes = [];
    recordedAt = performance.now();
    await productImageStore.record(done);
  }

  function begin(image: Parameters<typeof describeImage>[1]): void {
    const work = describeImage(deps, image, signal)
      .then((outcome) => void outcomes.push(outcome))
      .catch((error: unknown) => {
        if (!signal.aborted) failure ??= error;
      })
      .finally(() => {
        underWay.delete(image.id);
        isWoken = true;
        wake();
      });
    underWay.set(image.id, work);
  }

  return {
    async advance(hasNewImages) {
      if (failure !== undefined) throw failure;
      const isTime = performance.now() - recordedAt >= recordEveryMs;
      if (outcomes.length >= outcomeBatchSize || (outcomes.length > 0 && isTime)) await record();
      if (hasNewImages) lookAtMs = Number.NEGATIVE_INFINITY;
      const free = concurrency - underWay.size;
      if (free > 0 && performance.now() >= lookAtMs) {
        // In the database, images that are finished but not recorded yet are still due.
        const known = new Set([...underWay.keys(), ...outcomes.map(({ id }) => id)]);
        const due = await productImageStore.due(model, known.size + free);
        const fresh = due.filter(({ id }) => !known.has(id)).slice(0, free);
        for (const image of fresh) begin(image);
        if (fresh.length === 0) lookAtMs = performance.now() + lookEveryMs;
      }
      return underWay.size + outcomes.length > 0;
    },
    async waitForWork(ms) {
      if (!isWoken) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const pauseMs = outcomes.length > 0 ? Math.min(ms, recordEveryMs) : ms;
        await Promise.race([woken, setTimeout(pauseMs, undefined, { signal }).catch(() => {})]);
      }
      isWoken = false;
    },
    async stop() {
      await Promise.all(underWay.values());
      await record();
    },
  };
}
