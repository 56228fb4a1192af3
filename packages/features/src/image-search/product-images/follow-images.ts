import { createHash } from "node:crypto";
import { setTimeout as startTimer } from "node:timers";
import { setTimeout } from "node:timers/promises";
import { ApiError } from "@product-search/core/errors.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import { createWakeup, type UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type {
  ImageOutcome,
  ImageProgress,
  LocalImages,
  ProductImage,
  ProductImageStore,
  VisionModel,
} from "@product-search/core/ports/images.ts";
import {
  OutboundError,
  type OutboundHttp,
  type OutboundRequest,
  type OutboundResponse,
} from "@product-search/core/ports/outbound-http.ts";
import { maxFailures } from "@product-search/core/ports/webhooks.ts";

const timeoutMs = 20_000;

/** Twice the size of images that clients may send, because shops keep originals. */
const maxBytes = 15 * 1024 * 1024;

const firstPauseMs = 30_000;

/** Limits of one transaction, in outcomes and in time. A transaction per outcome would cost more than the outcome. */
const outcomeBatchSize = 32;

const recordEveryMs = 150;
/** How late an image may be that is tried again after a failure before the start. */
const maxRestMs = 15_000;

export interface FollowImagesDeps extends DescribeImageDeps {
  catalogStore: Pick<CatalogStore, "changesAfter" | "findByRowIds" | "lastSequence">;
  productImageStore: Omit<ProductImageStore, "lastSequence" | "changesAfter" | "vectorsOf" | "scan">;
}

export interface FollowImagesSettings {
  /** The model to describe images with. */
  model: string;
  /** Number of images of one host in progress: some wait for it while others are described. */
  concurrency: number;
  /** Called from time to time while there is work, and when it is done. */
  onProgress(progress: ImageProgress): void;
  pollMs?: number;
  untilChange?: UntilChange;
  /** How often to look for images to try again while there is nothing else to do. Default: 1 s. */
  lookEveryMs?: number;
  /** A host is slow when one of its images takes longer, until one does not. Default: 2 s. */
  slowAfterMs?: number;
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
  const { onProgress } = settings;
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
    if (!isReady && (await isPrepared(productImageStore, settings.model, atStart))) {
      isReady = true;
      onReady();
    }
    if (!noted) await workers.waitForWork();
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

interface ImageWorkersDeps extends DescribeImageDeps {
  productImageStore: Pick<ProductImageStore, "due" | "record">;
}

interface ImageWorkersSettings {
  model: string;
  concurrency: number;
  lookEveryMs?: number;
  slowAfterMs?: number;
  pollMs?: number;
  untilChange?: UntilChange;
}

interface ImageWorkers {
  /** Records finished images and starts those that are due; false if there is nothing to do. */
  advance(hasNewImages: boolean): Promise<boolean>;
  /** Waits until an image is finished, finished ones are to be recorded, or the store may have changed. */
  waitForWork(): Promise<void>;
  /** Waits for images in progress and records them. */
  stop(): Promise<void>;
}

/** The images of others that are in progress beside those of one host. */
const forOtherHosts = 4;
/** Of more hosts and networks, nobody remembers that they were slow: each host is left out by name in a query. */
const maxSlowHosts = 50;
/** When an image is tried again for which there was no place. */
const postponedMs = 15_000;

/** What the addresses of a host begin with; "/" for the service's own images. */
const hostOf = (address: string): string => /^[a-z]+:\/\/[^/?#]*[/?#]?/i.exec(address)?.[0] ?? "/";

interface ImageUnderWay {
  readonly host: string;
  /** What its host's name leads to. Absent until a connection is made for it. */
  network: string | undefined;
  isSlow: boolean;
  isPostponed: boolean;
  work: Promise<void>;
}

/**
 * Describes several images at a time. Slow hosts delay only their own images: all of them together have places of their own,
 * as many as one host has. A host is slow if its network is, so that a new name is no new host.
 */
function createImageWorkers(
  deps: ImageWorkersDeps,
  {
    model,
    concurrency,
    lookEveryMs = 1000,
    slowAfterMs = 2000,
    pollMs = 100,
    untilChange = pause,
  }: ImageWorkersSettings,
  signal: AbortSignal,
): ImageWorkers {
  const { productImageStore } = deps;
  const places = concurrency + forOtherHosts;
  const underWay = new Map<number, ImageUnderWay>();
  /** Those found last at the end. */
  const slowHosts = new Set<string>();
  const slowNetworks = new Set<string>();
  let outcomes: ImageOutcome[] = [];
  let recordedAt = performance.now();
  /** Not before this time if there are no new images: none was due. */
  let lookAtMs = Number.NEGATIVE_INFINITY;
  /** The same while a host has all places that it may have: nothing was due from others. */
  let lookAtOthersMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let retriesUntilMs = Number.NEGATIVE_INFINITY;
  const wakeup = createWakeup(untilChange);

  async function record(): Promise<void> {
    const done = outcomes;
    outcomes = [];
    recordedAt = performance.now();
    await productImageStore.record(done);
  }

  async function beginWhatIsDue(): Promise<void> {
    const begun = [...underWay.values()].map(({ host }) => host);
    const full = [...new Set([...begun, ...slowHosts])].filter((host) => !mayBegin(host));
    const now = performance.now();
    if (now < (full.length > 0 ? Math.max(lookAtMs, lookAtOthersMs) : lookAtMs)) return;
    // In the database, images that are finished but not recorded yet are still due.
    const known = new Set([...underWay.keys(), ...outcomes.map(({ id }) => id)]);
    const due = await productImageStore.due(model, known.size + places, full);
    const fresh = due.filter(({ id }) => !known.has(id));
    for (const image of fresh) if (mayBegin(hostOf(image.address))) begin(image);
    if (fresh.length > 0) return;
    if (full.length > 0) lookAtOthersMs = now + lookEveryMs;
    else lookAtMs = now + lookEveryMs;
  }

  const slowCount = (): number =>
    [...underWay.values()].filter(
      ({ host, network = "", isSlow }) => isSlow || slowHosts.has(host) || slowNetworks.has(network),
    ).length;

  function mayBegin(host: string): boolean {
    const hasPlace = slowHosts.has(host) ? slowCount() < concurrency : underWay.size - slowCount() < places;
    return hasPlace && [...underWay.values()].filter((image) => image.host === host).length < concurrency;
  }

  function begin(image: ProductImage): void {
    const host = hostOf(image.address);
    const timer = startTimer(() => {
      started.isSlow = true;
      rememberSlow(slowHosts, host);
      if (started.network !== undefined) rememberSlow(slowNetworks, started.network);
      wakeup.signal();
    }, slowAfterMs);
    const onNetwork = (network: string) => {
      started.network = network;
      if (!slowNetworks.has(network)) return;
      rememberSlow(slowHosts, host);
      wakeup.signal();
      if (slowCount() <= concurrency) return;
      started.isPostponed = true;
      throw new Error("Images of other slow hosts come first.");
    };
    const onFetched = () => {
      clearTimeout(timer);
      if (started.isSlow || started.isPostponed) return;
      slowHosts.delete(host);
      if (started.network !== undefined) slowNetworks.delete(started.network);
    };
    const work = describeImage(deps, image, { model, onFetched, onNetwork }, signal)
      .then(
        (described): ImageOutcome =>
          started.isPostponed ? { id: image.id, became: "postponed", afterMs: postponedMs } : described,
      )
      .then((outcome) => {
        outcomes.push(outcome);
        if (outcome.became === "retry" || outcome.became === "postponed")
          retriesUntilMs = Math.max(retriesUntilMs, performance.now() + outcome.afterMs);
      })
      .catch((error: unknown) => {
        if (!signal.aborted) failure ??= error;
      })
      .finally(() => {
        underWay.delete(image.id);
        wakeup.signal();
      });
    const started: ImageUnderWay = { host, network: undefined, isSlow: false, isPostponed: false, work };
    underWay.set(image.id, started);
  }

  function rememberSlow(slow: Set<string>, name: string): void {
    slow.delete(name);
    slow.add(name);
    const [oldest] = slow;
    if (slow.size > maxSlowHosts && oldest !== undefined) slow.delete(oldest);
  }

  return {
    async advance(hasNewImages) {
      if (failure !== undefined) throw failure;
      const isTime = performance.now() - recordedAt >= recordEveryMs;
      if (outcomes.length >= outcomeBatchSize || (outcomes.length > 0 && isTime)) await record();
      if (hasNewImages) lookAtMs = lookAtOthersMs = Number.NEGATIVE_INFINITY;
      if (underWay.size - slowCount() < places) await beginWhatIsDue();
      return underWay.size + outcomes.length > 0;
    },
    async waitForWork() {
      const restMs = performance.now() < retriesUntilMs ? lookEveryMs : maxRestMs;
      const waiting = wakeup.wait(pollMs, signal, restMs);
      await (outcomes.length === 0 ? waiting : Promise.race([waiting, pause(recordEveryMs, signal)]));
    },
    async stop() {
      await Promise.all([...underWay.values()].map(({ work }) => work));
      await record();
    },
  };
}

interface DescribeImageDeps extends FetchImageDeps {
  visionModel: Pick<VisionModel, "describe">;
}

/** Fetches and describes one image. Every failure is an outcome, except an abort by this service. */
async function describeImage(
  deps: DescribeImageDeps,
  image: ProductImage,
  { model, onFetched, onNetwork }: { model: string; onFetched: () => void; onNetwork: OnNetwork },
  signal: AbortSignal,
): Promise<ImageOutcome> {
  const { id } = image;
  const vector = await deps.localImages.vectorOf?.(image.address, model);
  if (vector !== undefined) {
    onFetched();
    return { id, became: "described", descriptor: { model, vector } };
  }
  const failed = (error: unknown) => {
    signal.throwIfAborted();
    return retry(image, error instanceof Error ? error.message : String(error), "dead");
  };
  let fetched: FetchedImage;
  try {
    fetched = await fetchImage(deps, image, onNetwork, signal).finally(onFetched);
  } catch (error) {
    return failed(error);
  }
  signal.throwIfAborted();
  if ("unchanged" in fetched) return { id, became: "unchanged" };
  if ("fault" in fetched)
    return fetched.later ? retry(image, fetched.fault, "lost") : { id, became: "lost", fault: fetched.fault };
  const { bytes, etag } = fetched;
  try {
    const descriptor = await deps.visionModel.describe(bytes, signal);
    return { id, became: "described", descriptor, ...(etag !== undefined && { etag }) };
  } catch (error) {
    const isImageError = error instanceof ApiError && error.code !== "unavailable";
    return isImageError ? { id, became: "lost", fault: error.message } : failed(error);
  }
}

/** Retries after 0.5, 2, 8 and 32 minutes. Then the image has failed, until its product changes or an operator retries it. */
function retry({ id, attempts }: ProductImage, fault: string, became: "lost" | "dead"): ImageOutcome {
  if (attempts + 1 >= maxFailures) return { id, became, fault };
  return { id, became: "retry", afterMs: firstPauseMs * 4 ** attempts, fault };
}

interface FetchImageDeps {
  localImages: LocalImages;
  outboundHttp: Pick<OutboundHttp, "send">;
}

type OnNetwork = NonNullable<OutboundRequest["onNetwork"]>;

type FetchedImage =
  | { bytes: Uint8Array; etag?: string }
  /** The image has not changed since it was described. */
  | { unchanged: true }
  /** The image is not available; `later` if another attempt may help. */
  | { fault: string; later: boolean };

/** The image file, from this service or from its host. Does not throw for failures of a host. */
async function fetchImage(
  { localImages, outboundHttp }: FetchImageDeps,
  { address, etag }: Pick<ProductImage, "address" | "etag">,
  onNetwork: OnNetwork,
  signal: AbortSignal,
): Promise<FetchedImage> {
  if (address.startsWith("/")) return readLocal(localImages, address, etag);
  try {
    const response = await outboundHttp.send(
      {
        url: address,
        headers: {
          accept: "image/avif,image/webp,image/jpeg,image/png,image/gif;q=0.9,*/*;q=0.1",
          ...(etag !== undefined && { "if-none-match": etag }),
        },
        timeoutMs,
        maxResponseBytes: maxBytes,
        redirects: { max: 5 },
        onNetwork,
      },
      signal,
    );
    return await readResponse(response);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { fault: error.message, later: ["timeout", "connection", "tls"].includes(error.failure) };
  }
}

async function readLocal(
  localImages: LocalImages,
  address: string,
  etag: string | undefined,
): Promise<FetchedImage> {
  const bytes = await localImages.read(address);
  if (bytes === undefined) return { fault: "there is no such file", later: false };
  const own = createHash("sha256").update(bytes).digest("base64url");
  return own === etag ? { unchanged: true } : { bytes, etag: own };
}

async function readResponse(response: OutboundResponse): Promise<FetchedImage> {
  const { status, headers } = response;
  if (status === 200) {
    const bytes = await response.bytes();
    return { bytes, ...(headers.etag !== undefined && { etag: headers.etag }) };
  }
  response.discard();
  if (status === 304) return { unchanged: true };
  return {
    fault: `the host responded with ${status}`,
    later: status === 408 || status === 425 || status === 429 || status >= 500,
  };
}

interface RecordImageUrlsDeps {
  catalogStore: Pick<CatalogStore, "changesAfter" | "findByRowIds">;
  productImageStore: Pick<ProductImageStore, "notedSequence" | "note">;
}

/** Further images of a product are not described: they rarely add anything. */
const maxImagesPerProduct = 10;
/** Small enough for a transaction of a few milliseconds. */
const changeBatchSize = 100;

/** Only the holder of the lease moves the position on, but a failover of the database can lose its last move. */
const positionTrustedMs = 10_000;

/**
 * Each call records the image URLs of the next changed products, and none for removed products; false if there are no
 * changes. Marketplaces are not searched by image.
 */
export function createImageUrlRecording(deps: RecordImageUrlsDeps): () => Promise<boolean> {
  const { catalogStore, productImageStore } = deps;
  let position = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    let changes = await catalogStore.changesAfter(position, changeBatchSize);
    const isTrusted = performance.now() < readAtMs + positionTrustedMs;
    if (changes.length === 0 && isTrusted) return false;
    const noted = await productImageStore.notedSequence();
    readAtMs = performance.now();
    if (noted !== position) {
      position = noted;
      changes = await catalogStore.changesAfter(position, changeBatchSize);
    }
    const last = changes.at(-1);
    if (last === undefined) return false;
    await recordImageUrls(deps, changes, last.sequence);
    position = last.sequence;
    return true;
  };
}

async function recordImageUrls(
  { catalogStore, productImageStore }: RecordImageUrlsDeps,
  changes: Awaited<ReturnType<CatalogStore["changesAfter"]>>,
  sequence: number,
): Promise<void> {
  const products = await catalogStore.findByRowIds(changes.map(({ rowId }) => rowId));
  const present = new Set(products.map(({ rowId }) => rowId));
  const removed = changes.filter(({ rowId }) => !present.has(rowId));
  await productImageStore.note(
    [
      ...removed.map(({ rowId }) => ({ rowId, addresses: [] })),
      ...products
        .filter(({ source }) => source === "catalog")
        .map(({ rowId, images }) => ({ rowId, addresses: images.slice(0, maxImagesPerProduct) })),
    ],
    sequence,
  );
}
