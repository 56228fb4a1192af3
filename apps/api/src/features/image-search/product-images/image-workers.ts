import { setTimeout } from "node:timers/promises";
import type { ImageOutcome, ProductImageStore } from "../../../ports/product-image-store.ts";
import { type DescribeImageDeps, describeImage } from "./describe-image.ts";

export interface ImageWorkersDeps extends DescribeImageDeps {
  productImageStore: Pick<ProductImageStore, "due" | "record">;
}

export interface ImageWorkers {
  /** Records finished images and starts those that are due; false if there is nothing to do. */
  advance(): Promise<boolean>;
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
  { model, concurrency }: { model: string; concurrency: number },
  signal: AbortSignal,
): ImageWorkers {
  const { productImageStore } = deps;
  const underWay = new Map<number, Promise<void>>();
  let outcomes: ImageOutcome[] = [];
  let recordedAt = performance.now();
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
    async advance() {
      if (failure !== undefined) throw failure;
      const isTime = performance.now() - recordedAt >= recordEveryMs;
      if (outcomes.length >= outcomeBatchSize || (outcomes.length > 0 && isTime)) await record();
      const free = concurrency - underWay.size;
      if (free > 0) {
        // In the database, images that are finished but not recorded yet are still due.
        const known = new Set([...underWay.keys(), ...outcomes.map(({ id }) => id)]);
        const due = await productImageStore.due(model, known.size + free);
        for (const image of due.filter(({ id }) => !known.has(id)).slice(0, free)) begin(image);
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
