import type { ProductSource } from "../../../domain/product.ts";
import { ApiError } from "../../../errors.ts";
import { ImportLeaseLostError } from "../../../ports/catalog-store.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { AbsentRule, FeedVersion, LeaseHolder, SealedImport } from "../../../ports/import-journal.ts";
import type { OutboundHttp } from "../../../ports/outbound-http.ts";
import type { StoreCurrency } from "../../../ports/store-currency.ts";
import { assertStoreCurrency, recordStoreCurrency } from "../store-currency.ts";
import { emptySummary, type ImportStep, type ImportSummary, type Rejected } from "./import-summary.ts";
import { type OpenFeed, openFeed } from "./open-feed.ts";
import { refuseLargeRemoval } from "./refuse-large-removal.ts";
import { ImportDiscardedError, type RollForwardDeps, rollForward } from "./roll-forward.ts";
import { stageFeed } from "./stage-feed.ts";
import { withLease } from "./with-lease.ts";

export interface ImportFeedDeps extends RollForwardDeps {
  outboundHttp: OutboundHttp;
  clock: Clock;
  currency: string;
  storeCurrency: StoreCurrency;
  /** Notes for whoever observes the service that this work belongs to an import into the source. */
  trace?<Result>(source: ProductSource, work: () => Promise<Result>): Promise<Result>;
}

export interface ImportFeedOptions {
  /** A path, or an http or https URL. */
  feed: string;
  source: ProductSource;
  /** What to do with products of the source that the feed does not list. */
  absent: AbsentRule;
  /** Read the feed even if the server says that it has not changed. */
  again?: boolean;
  /** What the server said of the version that is in the store, if the caller knows; else the journal may know. */
  known?: { version: Omit<FeedVersion, "url"> | undefined };
  /** For rows that name no store. */
  storeName?: string;
  /** The encoding of the feed; without it, the encoding is detected. */
  encoding?: string;
}

export interface ImportObserver {
  onStep(step: ImportStep): void;
  onReject(rejected: Rejected): void;
  /** An interrupted import could not be finished first; this one continues. */
  onDiscarded(error: Error): void;
}

/**
 * Imports a feed. It is read completely into a staging file, and only then applied, product by product. A failure before
 * that changes nothing. After a later failure, the next import or `resumeImport` finishes the work.
 */
export function importFeed(
  deps: ImportFeedDeps,
  options: ImportFeedOptions,
  observer: ImportObserver,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const work = () => importWithLease(deps, options, observer, signal);
  return deps.trace?.(options.source, work) ?? work();
}

async function importWithLease(
  deps: ImportFeedDeps,
  options: ImportFeedOptions,
  observer: ImportObserver,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const { feed, source } = options;
  await assertStoreCurrency(deps.storeCurrency, deps.currency);
  const onWait = ({ label }: LeaseHolder) => observer.onStep({ phase: "waiting", done: 0, label });
  return withLease(deps.importJournal, `${feed} into ${source}`, onWait, signal, async (unfinished) => {
    if (unfinished !== undefined) {
      const onStep = (step: Omit<ImportStep, "phase">) => observer.onStep({ phase: "finishing", ...step });
      await rollForward(deps, unfinished, onStep, signal).catch((error: unknown) => {
        if (!(error instanceof ImportDiscardedError)) throw explained(error, whileFinishing);
        observer.onDiscarded(error);
      });
    }
    await deps.stagingArea.clear();
    const summary = emptySummary(source, feed);
    const sealed = await readWhole(deps, options, summary, observer, signal);
    if (sealed === undefined) return { ...summary, notModified: true };
    const onStep = (step: Omit<ImportStep, "phase">) => observer.onStep({ phase: "applying", ...step });
    const applied = await rollForward(deps, sealed, onStep, signal).catch((error: unknown) => {
      throw explained(error, afterReading);
    });
    return { ...summary, ...applied };
  }).catch((error: unknown) => {
    throw explained(error, atTheStart);
  });
}

/** Reads and seals the feed; undefined if the server says that it has not changed. */
async function readWhole(
  deps: ImportFeedDeps,
  { feed, source, absent, again = false, known, storeName, encoding }: ImportFeedOptions,
  summary: ImportSummary,
  { onStep, onReject }: ImportObserver,
  signal: AbortSignal,
): Promise<SealedImport | undefined> {
  const { importJournal, stagingArea, clock, currency } = deps;
  const lastVersion = await findLastVersion();
  const opened = await openFeed(deps, feed, lastVersion, signal);
  if (opened === undefined) return undefined;
  const staging = await stagingArea.create();
  try {
    const options = {
      source,
      currency,
      nowMs: clock.now(),
      ...(storeName !== undefined && { storeName }),
      ...(encoding !== undefined && { encoding }),
    };
    await stageFeed(countBytes(opened, onStep), staging, options, summary, onReject);
    signal.throwIfAborted();
    onStep({ phase: "sorting", done: summary.rows });
    await staging.seal(signal);
    summary.duplicates = summary.rows - summary.refused - (await staging.countAfter(0));
    if (absent === "remove") await refuseLargeRemoval(deps.catalogStore, source, staging);
  } catch (error) {
    staging.close();
    // Without its database this fails too. The next import removes what is left.
    await stagingArea.clear().catch(() => {});
    throw explained(error, whileReading);
  }
  staging.close();
  const { version } = opened;
  if (version !== undefined) summary.version = toServerWords(version);
  const sealed = { source, stagingFile: staging.name, absent, position: 0, ...(version && { version }) };
  try {
    await recordStoreCurrency(deps.storeCurrency, currency);
    await importJournal.seal(sealed);
  } catch (error) {
    // If the database was lost it may have recorded the import: the next one then finishes it from the staging file.
    if (!isUnavailable(error)) await stagingArea.clear().catch(() => {});
    throw explained(error, whileSealing);
  }
  return sealed;

  async function findLastVersion(): Promise<FeedVersion | undefined> {
    if (again) return undefined;
    if (known === undefined) return importJournal.lastVersion(source, feed, absent);
    return known.version && { url: feed, ...known.version };
  }
}

function toServerWords({ url: _, ...words }: FeedVersion): Omit<FeedVersion, "url"> {
  return words;
}

async function* countBytes(
  { chunks, totalBytes }: OpenFeed,
  onStep: (step: ImportStep) => void,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of chunks) {
    done += chunk.length;
    onStep({ phase: "reading", done, ...(totalBytes !== undefined && { total: totalBytes }) });
    yield chunk;
  }
}

/** What to do after a failure, which depends on how far the import was. */
interface Remedies {
  fullDisk: string;
  lostDatabase: string;
}

const notImported = "Nothing of this feed was imported. Import it again.";
const atTheStart: Remedies = {
  fullDisk: "Free space and import again; nothing that was read whole is lost.",
  lostDatabase: notImported,
};
const whileFinishing: Remedies = {
  fullDisk: atTheStart.fullDisk,
  lostDatabase:
    "An earlier import was being finished, and will be finished later. This feed was not read. Import it again.",
};
const whileReading: Remedies = {
  fullDisk: "Nothing was changed. Free space and import again.",
  lostDatabase: notImported,
};
const whileSealing: Remedies = {
  fullDisk: whileReading.fullDisk,
  lostDatabase:
    "The feed was read whole, but it is not known whether the database has recorded that. If it has, the next import or the " +
    "running service finishes the import. Importing it again is safe.",
};
const afterReading: Remedies = {
  fullDisk: "The feed was read whole. Free space: the next import, or the running service, finishes it.",
  lostDatabase:
    "The feed was read whole: the running service, or the next import, finishes it. You need not import it again.",
};

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unavailable";
}

/** Says what has become of the feed. The error of the database speaks of a request, and there is none here. */
function explained(error: unknown, remedies: Remedies): unknown {
  if (error instanceof ImportLeaseLostError && remedies === whileSealing)
    return new Error(`Another process has taken over the lease for imports. ${notImported}`, {
      cause: error,
    });
  if (isUnavailable(error))
    return new Error(`The database cannot be reached at the moment. ${remedies.lostDatabase}`, {
      cause: error,
    });
  const isFull =
    error instanceof Error && "code" in error && ["SQLITE_FULL", "ENOSPC"].includes(String(error.code));
  return isFull ? new Error(`The disk is full. ${remedies.fullDisk}`, { cause: error }) : error;
}
