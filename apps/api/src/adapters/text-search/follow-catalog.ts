import { setTimeout } from "node:timers/promises";
import {
  type IndexWriter,
  openIndex,
  type SampleSize,
  type Snapshot,
  writeSnapshot,
} from "@product-search/text-index";
import { applyChanges, changeBatchSize, noPause, pauseForSearches, sliceMs } from "./apply-changes.ts";
import { type CatalogLog, catalogIdentity, countProducts } from "./catalog-log.ts";
import { type ChooseDocuments, chooseAll, chooseSample } from "./choose-documents.ts";
import { createGcPressure } from "./gc-pressure.ts";
import { openIndexWriter, rebuild } from "./open-index-writer.ts";

/** So long without a change means that whoever made them is done for now. */
const idleMs = 100;
/** Changes are waited for no longer. */
const maxWaitMs = 250;

export interface FollowCatalogSettings {
  readonly log: CatalogLog;
  /** Where the index is kept between starts; it has the folder to itself. */
  readonly folder: string;
  /** Given the index when it is complete, and again after every batch of changes. */
  readonly publish: (snapshot: Snapshot) => void;
  /** Told when the index could not be kept, of a full disk for one. It is tried again; searches see nothing of it. */
  readonly onSaveError: (error: unknown) => void;
  /** For an index that only has to know the words of the catalog. Default: it holds every product. */
  readonly sample?: SampleSize;
  readonly pollMs?: number;
  /** The index is kept after so long without a change, and at the end. */
  readonly saveAfterIdleMs?: number;
}

export interface CatalogFollower {
  /** Why the index had to be built anew; undefined when the kept one was used. */
  readonly rebuildReason: string | undefined;
  /** Settles when following ends: rejects when it failed, for whoever supervises it. */
  readonly ended: Promise<void>;
  /** Keeps the index for the next start. */
  stop(): Promise<void>;
}

/**
 * Follows the catalog's change log, whichever process writes it, and publishes a snapshot of the index after every
 * batch. Resolves when the index is complete. It computes much: give it a thread of its own.
 */
export async function followCatalog(settings: FollowCatalogSettings): Promise<CatalogFollower> {
  const { log, folder, sample } = settings;
  const choose = sample === undefined ? chooseAll : chooseSample(sample);
  const weigh = createGcPressure();
  const publish = (snapshot: Snapshot) => {
    weigh(snapshot);
    settings.publish(snapshot);
  };
  let { writer, rebuildReason } = await openIndexWriter(log, folder, choose);
  const savedSequence = rebuildReason === undefined ? writer.snapshot.sequence : undefined;
  while (await applyChanges(log, writer, () => {}, noPause, choose));
  const isEverything = sample === undefined && rebuildReason === undefined;
  if (isEverything && openIndex(writer.snapshot).documents !== (await countProducts(log))) {
    rebuildReason = "it has other products than the catalog";
    writer = await rebuild(log, choose);
  }
  publish(writer.snapshot);
  const stopping = new AbortController();
  const ended = follow({ ...settings, publish, choose }, writer, savedSequence, stopping.signal);
  return {
    rebuildReason,
    ended,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

interface FollowSettings extends FollowCatalogSettings {
  readonly choose: ChooseDocuments;
}

async function follow(
  { log, folder, publish, onSaveError, pollMs = 50, saveAfterIdleMs = 5000, choose }: FollowSettings,
  writer: IndexWriter,
  sequenceOnDisk: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  let savedSequence = sequenceOnDisk;
  let changedAt = performance.now();
  const keep = async () => {
    const { snapshot } = writer;
    if (savedSequence === snapshot.sequence) return;
    try {
      await writeSnapshot(folder, snapshot, await catalogIdentity(log));
      savedSequence = snapshot.sequence;
    } catch (error) {
      onSaveError(error);
      changedAt = performance.now();
    }
  };
  while (!signal.aborted) {
    await untilIdle(log, writer, signal);
    const startedAt = performance.now();
    if (await applyChanges(log, writer, publish, pauseForSearches, choose)) changedAt = performance.now();
    if (writer.mergePending) {
      await merge(writer, publish, performance.now() - startedAt);
      continue;
    }
    if (performance.now() - changedAt >= saveAfterIdleMs) await keep();
    await setTimeout(pollMs, undefined, { signal }).catch(() => {});
  }
  await keep();
}

/**
 * While an import writes, one batch of what it writes in a moment is less work than several, and the processor is not
 * asked for by both at once.
 */
async function untilIdle(log: CatalogLog, { snapshot }: IndexWriter, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  let seen = snapshot.sequence;
  for (;;) {
    const newest = await log.lastSequence();
    const waited = performance.now() - startedAt;
    if (newest === seen || newest - snapshot.sequence >= changeBatchSize || waited >= maxWaitMs) return;
    seen = newest;
    await setTimeout(idleMs, undefined, { signal }).catch(() => {});
  }
}

/** For as long as changes took, so that merging keeps up with them; for one slice when there were none. */
async function merge(
  writer: IndexWriter,
  publish: FollowCatalogSettings["publish"],
  milliseconds: number,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  do {
    const merged = writer.mergeFor(sliceMs);
    if (merged !== undefined) publish(merged);
    await pauseForSearches();
  } while (writer.mergePending && performance.now() < deadline);
}
