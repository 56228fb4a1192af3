import { setTimeout } from "node:timers/promises";
import type { PictureOutcome, PictureStore } from "../../../ports/picture-store.ts";
import { type DescribePictureDeps, describePicture } from "./describe-picture.ts";

export interface PictureWorkersDeps extends DescribePictureDeps {
  pictureStore: Pick<PictureStore, "due" | "record">;
}

export interface PictureWorkers {
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

/** Describes several pictures at a time; a slow host holds up none but its own. */
export function createPictureWorkers(
  deps: PictureWorkersDeps,
  { model, concurrency }: { model: string; concurrency: number },
  signal: AbortSignal,
): PictureWorkers {
  const { pictureStore } = deps;
  const underWay = new Map<number, Promise<void>>();
  let outcomes: PictureOutcome[] = [];
  let recordedAt = performance.now();
  let failure: unknown;
  let isWoken = false;
  let wake = () => {};

  async function record(): Promise<void> {
    const done = outcomes;
    outcomes = [];
    recordedAt = performance.now();
    await pictureStore.record(done);
  }

  function begin(picture: Parameters<typeof describePicture>[1]): void {
    const work = describePicture(deps, picture, signal)
      .then((outcome) => void outcomes.push(outcome))
      .catch((error: unknown) => {
        if (!signal.aborted) failure ??= error;
      })
      .finally(() => {
        underWay.delete(picture.id);
        isWoken = true;
        wake();
      });
    underWay.set(picture.id, work);
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
        const due = await pictureStore.due(model, known.size + free);
        for (const picture of due.filter(({ id }) => !known.has(id)).slice(0, free)) begin(picture);
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
