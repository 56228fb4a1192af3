import { setTimeout } from "node:timers/promises";
import type { ImageOutcome, ProductImageStore } from "../../../ports/product-image-store.ts";
import { type DescribeImageDeps, describeImage } from "./describe-image.ts";

export interface ImageWorkersDeps extends DescribeImageDeps {
  productImageStore: Pick<ProductImageStore, "due" | "record">;
}

export interface ImageWorkers {
  /** Records what is done and begins what is due; false when there is nothing to do. */
  advance(): Promise<boolean>;
  /** Until something is done, or for so long. */
  waitForWork(ms: number): Promise<void>;
  /** Waits for those under way and records them. */
  stop(): Promise<void>;
}

/** So many outcomes are one transaction, or what came in so many milliseconds: a transaction for each would cost more than they do. */
const outcomeBatchSize = 32;
const recordEveryMs = 150;

/** Describes several images at a time; a slow host holds up none but its own. */
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
        // What is done but not recorded yet is still due for the store.
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
