import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import {
  english,
  type IndexWriter,
  type Languages,
  openIndex,
  type SampleSize,
  type Snapshot,
  writeSnapshot,
} from "@product-search/text-index";
import {
  applyChanges,
  type ChooseDocuments,
  changeBatchSize,
  chooseAll,
  chooseSample,
  pauseForSearches,
  shortestPause,
  sliceMs,
} from "./apply-changes.ts";
import { type ElsewhereBuilt, openIndexWriter, type RebuiltIndex, rebuild } from "./build-index.ts";
import { type ChosenLanguages, mayHaveOtherLanguages, readLanguages } from "./catalog-languages.ts";
import { type CatalogLog, catalogIdentity, countProducts } from "./catalog-log.ts";
import { createGcPressure } from "./newest-index.ts";
import { languagesIdentity } from "./service-languages.ts";

/** After this time without a change, the writer is considered done for now. */
const idleMs = 100;
/** The maximum time to wait for further changes. */
const maxWaitMs = 250;

export interface FollowCatalogSettings {
  readonly log: CatalogLog;
  /** The folder in which the index is saved between starts. Nothing else may be in it. */
  readonly folder: string;
  /** Called with the index when it is complete, and after every batch of changes. */
  readonly publish: (snapshot: Snapshot) => void;
  /**
   * Called if the index could not be saved, for example because the disk is full. It is retried; searches are not
   * affected.
   */
  readonly onSaveError: (error: unknown) => void;
  /** For an index that only has to know the words of the catalog. Default: an index of all products. */
  readonly sample?: SampleSize;
  /** Those of the catalog, which snapshots tell. Default: English. */
  readonly languages?: ChosenLanguages;
  /** Builds parts of a new index in another thread. */
  readonly elsewhere?: ElsewhereBuilt | undefined;
  readonly pollMs?: number;
  readonly untilChange?: UntilChange;
  /** So long after attributes were chosen as facets by the number of their products, others may be. */
  readonly facetsChosenAgainAfterMs?: number;
  /** The index is saved after this time without a change, and at the end. */
  readonly saveAfterIdleMs?: number;
}

export interface CatalogFollower {
  /** Why the index was rebuilt; undefined if the saved one was used. */
  readonly rebuildReason: string | undefined;
  /** Resolves when following ends. Rejects if it failed, so that a supervisor can react. */
  readonly ended: Promise<void>;
  /** Searches find all changes of the catalog up to this one. */
  searchableSequence(): Promise<number>;
  /** Saves the index for the next start. */
  stop(): Promise<void>;
}

/**
 * Follows the catalog's change log, whichever process writes it, and publishes a snapshot of the index after every
 * batch. Resolves when the index is complete. It needs much CPU time: run it in its own thread.
 */
export async function followCatalog(settings: FollowCatalogSettings): Promise<CatalogFollower> {
  const { log, folder, sample, languages: chosen = [english] } = settings;
  const languages = await readLanguages(chosen, log);
  const choose = chooseDocuments(sample, languages);
  const weigh = createGcPressure();
  const publish = (snapshot: Snapshot, own = languages) => {
    weigh(snapshot);
    settings.publish({ ...snapshot, languages: own.map(({ code }) => code) });
  };
  const opened = await openIndexWriter(log, folder, choose, languages, settings.elsewhere);
  let { rebuildReason } = opened;
  const index: RebuiltIndex = { writer: opened.writer, facets: opened.facets };
  let savedSequence = rebuildReason === undefined ? index.writer.snapshot.sequence : undefined;
  const atStart = await log.lastSequence();
  // Not what comes later: while changes keep coming, the index would never have all of them.
  while (index.writer.snapshot.sequence < atStart)
    if (!(await applyChanges(log, index.writer, () => {}, shortestPause, choose, languages, index.facets)))
      break;
  const isEverything = sample === undefined && rebuildReason === undefined;
  if (isEverything && (await hasOtherProducts(index.writer.snapshot, log))) {
    rebuildReason = "it has other products than the catalog";
    savedSequence = undefined;
    Object.assign(index, await rebuild(log, choose, languages, settings.elsewhere));
  }
  publish(index.writer.snapshot);
  const stopping = new AbortController();
  const reading = { languages, choose };
  const ended = follow({ ...settings, publish, chosen, reading }, index, savedSequence, stopping.signal);
  return {
    rebuildReason,
    ended,
    searchableSequence: async () => index.writer.snapshot.sequence,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

/** Each change that is not in the index yet adds or removes one product at most. */
async function hasOtherProducts(snapshot: Snapshot, log: CatalogLog): Promise<boolean> {
  const products = await countProducts(log);
  const changes = (await log.lastSequence()) - snapshot.sequence;
  return Math.abs(openIndex(snapshot).documents - products) > changes;
}

function chooseDocuments(sample: SampleSize | undefined, languages: Languages): ChooseDocuments {
  return sample === undefined ? chooseAll : chooseSample(sample, languages);
}

interface FollowSettings extends Omit<FollowCatalogSettings, "publish" | "languages"> {
  readonly publish: (snapshot: Snapshot, languages: Languages) => void;
  readonly chosen: ChosenLanguages;
  /** With what the index was opened. */
  readonly reading: { readonly choose: ChooseDocuments; readonly languages: Languages };
}

async function follow(
  {
    log,
    folder,
    sample,
    publish: publishIn,
    onSaveError,
    pollMs = 50,
    untilChange = pause,
    saveAfterIdleMs = 5000,
    chosen,
    reading,
    elsewhere,
    facetsChosenAgainAfterMs = 600_000,
  }: FollowSettings,
  index: RebuiltIndex,
  sequenceOnDisk: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  let { languages, choose } = reading;
  let languagesReadAt = index.writer.snapshot.sequence;
  const publish = (snapshot: Snapshot) => publishIn(snapshot, languages);
  let savedSequence = sequenceOnDisk;
  let changedAt = performance.now();
  let chosenAt = Number.NEGATIVE_INFINITY;
  const buildAgain = async () => {
    Object.assign(index, await rebuild(log, choose, languages, elsewhere));
    savedSequence = undefined;
    publish(index.writer.snapshot);
    changedAt = performance.now();
  };
  const chooseFacets = async () => {
    const isDue = performance.now() - chosenAt >= facetsChosenAgainAfterMs;
    if (!isDue || !index.facets.isOutdated(index.writer.snapshot)) return;
    chosenAt = performance.now();
    if ((await index.facets.chooseAgain(log)) === undefined) return;
    await buildAgain();
  };
  const chooseLanguages = async () => {
    const { sequence } = index.writer.snapshot;
    if (!mayHaveOtherLanguages(await countProducts(log), sequence - languagesReadAt)) return;
    languagesReadAt = sequence;
    const newest = await readLanguages(chosen, log);
    if (languagesIdentity(newest) === languagesIdentity(languages)) return;
    languages = newest;
    choose = chooseDocuments(sample, languages);
    await buildAgain();
  };
  const keep = async () => {
    const { snapshot } = index.writer;
    if (savedSequence === snapshot.sequence) return;
    try {
      await writeSnapshot(folder, snapshot, await catalogIdentity(log, languages));
      savedSequence = snapshot.sequence;
    } catch (error) {
      onSaveError(error);
      changedAt = performance.now();
    }
  };
  // At once, although segments are merged later: otherwise a process that ends early builds everything again.
  if (savedSequence === undefined) await keep();
  while (!signal.aborted) {
    const { writer, facets } = index;
    await untilIdle(log, writer, signal);
    const startedAt = performance.now();
    if (await applyChanges(log, writer, publish, pauseForSearches, choose, languages, facets))
      changedAt = performance.now();
    else {
      await chooseLanguages();
      if (choose === chooseAll) await chooseFacets();
    }
    if (writer.mergePending && writer === index.writer) {
      await merge(writer, publish, performance.now() - startedAt);
      continue;
    }
    if (performance.now() - changedAt >= saveAfterIdleMs) await keep();
    const isSaved = savedSequence === index.writer.snapshot.sequence;
    await untilChange(pollMs, signal, isSaved ? undefined : saveAfterIdleMs);
  }
  await keep();
}

/**
 * While an import writes, one batch of its recent changes is less work than several, and the two do not compete for
 * the CPU at the same time. With a limit of 400 ms instead of 250, a slow machine found one change after 982 ms.
 */
async function untilIdle(log: CatalogLog, { snapshot }: IndexWriter, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  let seen = snapshot.sequence;
  for (;;) {
    const newest = await log.lastSequence();
    const waited = performance.now() - startedAt;
    if (newest === seen || newest - snapshot.sequence >= changeBatchSize || waited >= maxWaitMs) return;
    seen = newest;
    await pause(idleMs, signal);
  }
}

/** As long as the changes took, so that merging keeps up with them; one slice if there were none. */
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
