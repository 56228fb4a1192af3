import { setTimeout } from "node:timers/promises";
import type { CatalogStore } from "../../../ports/catalog-store.ts";
import type { PictureProgress, PictureStore } from "../../../ports/picture-store.ts";
import type { DescribePictureDeps } from "./describe-picture.ts";
import { notePictures } from "./note-pictures.ts";
import { createPictureWorkers } from "./picture-workers.ts";

export interface FollowPicturesDeps extends DescribePictureDeps {
  catalogStore: Pick<CatalogStore, "changesAfter" | "findByRowIds" | "lastSequence">;
  pictureStore: Omit<PictureStore, "lastSequence" | "changesAfter" | "vectorsOf" | "scan">;
}

export interface FollowPicturesSettings {
  /** The model that pictures are to be described by. */
  model: string;
  /** Pictures under way at once: some wait for their hosts while others are computed. */
  concurrency: number;
  /** Told from time to time while there is work, and when it is done. */
  onProgress(progress: PictureProgress): void;
  pollMs?: number;
}

export interface PictureFollower {
  /** Settles when our own pictures that were there at the start are described. Those of other hosts may take long. */
  readonly ready: Promise<void>;
  /** Settles when following ends; rejects when it failed, for whoever supervises it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const progressEveryMs = 5000;

/**
 * Follows the catalog, whoever changes it, and describes the pictures that its products show. What is done is in the
 * store at once: a process that dies goes on where it was.
 */
export function followPictures(deps: FollowPicturesDeps, settings: FollowPicturesSettings): PictureFollower {
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
  deps: FollowPicturesDeps,
  settings: FollowPicturesSettings,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const { pictureStore, catalogStore } = deps;
  const { pollMs = 100, onProgress } = settings;
  await requeue(pictureStore, settings.model, signal);
  const atStart = await catalogStore.lastSequence();
  const workers = createPictureWorkers(deps, settings, signal);
  const reportProgress = createProgressReporter(() => pictureStore.progress(), onProgress);
  let isReady = false;
  while (!signal.aborted) {
    const noted = await notePictures(deps);
    const isBusy = await workers.advance();
    await reportProgress(isBusy || noted);
    if (!isReady && !noted && (await isPrepared(pictureStore, settings.model, atStart))) {
      isReady = true;
      onReady();
    }
    if (!noted) await workers.waitForWork(pollMs);
  }
  await workers.stop();
}

async function isPrepared(
  pictureStore: FollowPicturesDeps["pictureStore"],
  model: string,
  atStart: number,
): Promise<boolean> {
  if ((await pictureStore.notedSequence()) < atStart) return false;
  // Our own pictures come first: when the first one is of another host, or failed before, ours are done.
  const [first] = await pictureStore.due(model, 1);
  return first === undefined || first.attempts > 0 || !first.address.startsWith("/");
}

/** Tells every few seconds while there is work, and once when it is done. */
function createProgressReporter(
  measure: () => Promise<PictureProgress>,
  onProgress: (progress: PictureProgress) => void,
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
  pictureStore: Pick<PictureStore, "requeueWithout">,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined && !signal.aborted; ) {
    last = await pictureStore.requeueWithout(model, last, 1000);
    // Another writer's turn.
    await setTimeout(1);
  }
}
