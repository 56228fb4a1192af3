import { isDeepStrictEqual } from "node:util";
import { AttributeCounts } from "@product-search/core/domain/attributes.ts";
import type { ProductSource } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import {
  type CatalogStore,
  ImportLeaseLostError,
  type StoreCurrency,
} from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  type AbsentRule,
  type ColumnMap,
  type ColumnMapStore,
  columnsOfMap,
  type FeedVersion,
  isDiskFull,
  type LeaseHolder,
  type SavedColumnMap,
  type SealedImport,
  type StagingFile,
} from "@product-search/core/ports/imports.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import { FeedError, type TableLayout, type UnusedColumns } from "@product-search/feeds/formats/feed-row.ts";
import { assertStoreCurrency, recordStoreCurrency } from "../store-currency.ts";
import { assertRoomToApply, type DiskRoomDeps, openStagingRoom, type StagingRoom } from "./disk-room.ts";
import {
  emptySummary,
  IgnoredFields,
  type ImportStep,
  type ImportSummary,
  noteIgnored,
  noteNames,
  type Rejected,
} from "./import-summary.ts";
import { type FetchPace, openFeed } from "./open-feed.ts";
import type { OpenFeed } from "./open-shop.ts";
import { type ReadRowsOptions, readRows } from "./read-rows.ts";
import {
  absentProducts,
  ImportDiscardedError,
  type RollForwardDeps,
  rollForward,
  withLease,
} from "./roll-forward.ts";

/** The share of a source's products that a feed may delete by not listing them. */
const maxRemovedPercent = 20;

export interface ImportFeedDeps extends RollForwardDeps, DiskRoomDeps {
  outboundHttp: OutboundHttp;
  clock: Clock;
  currency: string;
  storeCurrency: StoreCurrency;
  columnMaps: ColumnMapStore;
  isUnfetchable?: ReadRowsOptions["isUnfetchable"];
  /** For the Admin API of Shopify, by the host of the shop. */
  shopTokens?: Readonly<Record<string, string>>;
  /** How fast a server must send; tests give smaller limits. */
  fetchPace?: FetchPace;
  /** Notes for whoever observes the service that this work belongs to an import into the source. */
  trace?<Result>(source: ProductSource, work: () => Promise<Result>): Promise<Result>;
}

/** How the rows of a feed are read. */
export interface FeedReading {
  /** For rows that name no store. */
  storeName?: string;
  /** Between the levels of a category. */
  categorySeparator?: string;
  /** The address of the shop, for tables without addresses of product pages. */
  site?: string;
  /** The encoding of the feed; without it, the encoding is detected. */
  encoding?: string;
  /**
   * For a table whose columns have other names than Google's. It is saved with the source, like the three above. Without it, the
   * saved map is used whose columns the table has; `none` forgets the saved ones.
   */
  map?: ColumnMap | "none";
}

export interface ImportFeedOptions extends FeedReading {
  /** A path, an http or https URL, or a shop such as `shopify:https://shop.example`. */
  feed: string;
  source: ProductSource;
  /** What to do with products of the source that the feed does not list. */
  absent: AbsentRule;
  /** Read the feed even if the server says that it has not changed. */
  again?: boolean;
  /** What the server said of the version that is in the store, if the caller knows; else the journal may know. */
  current?: { version: Omit<FeedVersion, "url"> | undefined };
  /** For rows that name no store. */
  storeName?: string;
  /** Between the levels of a category. Default: ">". */
  categorySeparator?: string;
  /** The encoding of the feed; without it, the encoding is detected. */
  encoding?: string;
  /** How long fetching the feed may take. */
  maxFetchMs?: number;
}

export interface ImportObserver {
  onStep(step: ImportStep): void;
  onReject(rejected: Rejected): void;
  /** An interrupted import could not be finished first; this one continues. */
  onDiscarded(error: Error): void;
}

/**
 * Imports a feed. It is read completely into a staging file, while other imports may run, and only then applied, product by
 * product, when no other import into the source is being applied. A failure before that changes nothing. After a later
 * failure, the next import or `resumeImport` finishes the work.
 */
export function importFeed(
  deps: ImportFeedDeps,
  options: ImportFeedOptions,
  observer: ImportObserver,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const work = () =>
    readAndApply(deps, options, observer, signal).catch((error: unknown) => {
      throw explained(error, atTheStart);
    });
  return deps.trace?.(options.source, work) ?? work();
}

async function readAndApply(
  deps: ImportFeedDeps,
  options: ImportFeedOptions,
  observer: ImportObserver,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const { importJournal, stagingArea } = deps;
  const { feed, source } = options;
  await assertStoreCurrency(deps.storeCurrency, deps.currency);
  if ((await importJournal.findUnfinished()) === source) {
    await withSource(deps, options, observer, signal, async () => {});
  }
  await stagingArea.clear(importJournal.sealedFiles);
  const summary = emptySummary(source, feed);
  const staged = await stageWhole(deps, options, summary, observer, signal);
  if (staged === undefined) return { ...emptySummary(source, feed), notModified: true };
  const { staging } = staged;
  let mayBeSealed = false;
  try {
    return await withSource(deps, options, observer, signal, async () => {
      await stagingArea.clear(importJournal.sealedFiles);
      const sealed = await prepareSeal(deps, options, staged, signal);
      mayBeSealed = true;
      await deps.importJournal.seal(sealed).catch((error: unknown) => {
        // If the database was lost it may have recorded the import, which is then finished from the staging file.
        mayBeSealed = isUnavailable(error);
        throw explained(error, whileSealing);
      });
      const onStep = (step: Omit<ImportStep, "phase">) => observer.onStep({ phase: "applying", ...step });
      const applied = await rollForward(deps, sealed, onStep, signal).catch((error: unknown) => {
        throw explained(error, afterReading);
      });
      if (applied.outdated > 0) delete summary.version;
      return { ...summary, ...applied };
    });
  } finally {
    staging.close();
    // Without its database this fails too. The next import removes what is left.
    if (!mayBeSealed) await stagingArea.remove(staging.name).catch(() => {});
  }
}

/** Does the work with the lease of the source, after an interrupted import into it is finished. */
function withSource<Result>(
  deps: ImportFeedDeps,
  { feed, source }: ImportFeedOptions,
  observer: ImportObserver,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const onWait = ({ label }: LeaseHolder) => observer.onStep({ phase: "waiting", done: 0, label });
  return withLease(
    deps.importJournal,
    source,
    `${feed} into ${source}`,
    onWait,
    signal,
    async (unfinished) => {
      if (unfinished !== undefined) {
        const onStep = (step: Omit<ImportStep, "phase">) => observer.onStep({ phase: "finishing", ...step });
        await rollForward(deps, unfinished, onStep, signal).catch((error: unknown) => {
          if (!(error instanceof ImportDiscardedError)) throw explained(error, whileFinishing);
          observer.onDiscarded(error);
        });
      }
      return work();
    },
  );
}

/** A feed that was read whole. */
interface Staged {
  staging: StagingFile;
  startedAtMs: number;
  version: FeedVersion | undefined;
}

/** Reads and sorts the feed; undefined if the server says that it has not changed. */
async function stageWhole(
  deps: ImportFeedDeps,
  options: ImportFeedOptions,
  summary: ImportSummary,
  { onStep, onReject }: ImportObserver,
  signal: AbortSignal,
): Promise<Staged | undefined> {
  const { importJournal, stagingArea, clock, currency } = deps;
  const { feed, source, absent, again = false, current, maxFetchMs, map } = options;
  const lastVersion = await findLastVersion();
  const startedAtMs = clock.now();
  const limits = { ...deps.fetchPace, ...(maxFetchMs !== undefined && { maxFetchMs }) };
  const opened = await openFeed(deps, feed, lastVersion, limits, signal);
  if (opened === undefined) return undefined;
  const staging = await stagingArea.create(source);
  try {
    if (map === "none") await deps.columnMaps.clear(source);
    const { catalogStore, isUnfetchable } = deps;
    const reading = await readingOf(deps, options);
    const rules = {
      source,
      currency,
      nowMs: startedAtMs,
      catalogStore,
      ...(isUnfetchable && { isUnfetchable }),
      ...defaultsOf(opened),
      ...reading,
    };
    const room = await openStagingRoom(deps, staging);
    const usedMap = await stageFeed(countBytes(opened, onStep), staging, rules, summary, onReject, room);
    if (rules.isNewMap && usedMap !== undefined) {
      await deps.columnMaps.save(source, usedMap);
      summary.isMapSaved = true;
    }
    signal.throwIfAborted();
    if (opened.isUnchanged?.()) {
      staging.close();
      await stagingArea.remove(staging.name);
      return undefined;
    }
    await room.checkNow();
    onStep({ phase: "sorting", done: summary.rows });
    await staging.seal(signal);
    summary.duplicates = summary.rows - summary.refused - (await staging.countAfter(0));
    const version = opened.version?.();
    if (version !== undefined) summary.version = toServerWords(version);
    return { staging, startedAtMs, version };
  } catch (error) {
    staging.close();
    await stagingArea.remove(staging.name).catch(() => {});
    throw explained(error, whileReading);
  }

  async function findLastVersion(): Promise<FeedVersion | undefined> {
    // What was read in another way before may have changed.
    if (again || map !== undefined || options.site !== undefined) return undefined;
    if (current === undefined) return importJournal.lastVersion(source, feed, absent);
    return current.version && { url: feed, ...current.version };
  }
}

export function defaultsOf({ settings }: OpenFeed): Pick<ReadRowsOptions, "defaults"> {
  return settings === undefined ? {} : { defaults: settings };
}

/** How the rows are read, with the maps that the table may have. */
export async function readingOf(
  { columnMaps }: Pick<ImportFeedDeps, "columnMaps">,
  { source, map, site, storeName, categorySeparator, encoding }: FeedReading & { source: ProductSource },
): Promise<
  Omit<ReadRowsOptions, keyof Pick<ReadRowsOptions, "source" | "currency" | "nowMs" | "catalogStore">> & {
    isNewMap: boolean;
  }
> {
  const settings = {
    ...(site !== undefined && { site }),
    ...(storeName !== undefined && { storeName }),
    ...(categorySeparator !== undefined && { categorySeparator }),
  };
  const shared = { ...settings, ...(encoding !== undefined && { encoding }) };
  if (map === "none") return { ...shared, isNewMap: false };
  const saved = await columnMaps.list(source);
  const isNewMap = map !== undefined || Object.keys(settings).length > 0;
  if (!isNewMap) return { ...shared, maps: saved, isNewMap };
  // A setting that is not given stays as it was saved for such tables.
  const noColumns: SavedColumnMap = { fields: {}, attributes: [] };
  const same = (one: SavedColumnMap) => isDeepStrictEqual(columnsOfMap(one), columnsOfMap(map ?? noColumns));
  const former = saved.find(same);
  if (map !== undefined)
    return { ...shared, maps: [{ ...former, ...map, ...settings }], isMapRequired: true, isNewMap };
  const others = former === undefined ? [...saved, noColumns] : saved;
  return { ...shared, maps: others.map((one) => ({ ...one, ...settings })), isNewMap };
}

/** What the journal records; once it has, the import is always finished. */
async function prepareSeal(
  deps: ImportFeedDeps,
  { source, absent }: ImportFeedOptions,
  { staging, startedAtMs, version }: Staged,
  signal: AbortSignal,
): Promise<SealedImport> {
  try {
    if (absent === "remove") await refuseLargeRemoval(deps.catalogStore, source, staging);
    await assertRoomToApply(deps, staging);
    await staging.share(signal);
    await recordStoreCurrency(deps.storeCurrency, deps.currency);
    const stagingFile = staging.name;
    return { source, stagingFile, startedAtMs, absent, position: 0, ...(version && { version }) };
  } catch (error) {
    throw explained(error, whileReading);
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
    "An earlier import was being finished, and will be finished later. This feed was not imported. Import it again.",
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

/** Says what to do; the first one that does so knows most. */
class DiskFullError extends Error {
  override readonly name = "DiskFullError";
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
  if (error instanceof DiskFullError || !isDiskFull(error)) return error;
  return new DiskFullError(`The disk is full. ${remedies.fullDisk}`, { cause: error });
}

/**
 * Refuses a feed that lists too few of the source's products. A well-formed feed can be incomplete, for example when
 * the shop's own export failed, and a deletion loses the price history.
 */
async function refuseLargeRemoval(
  catalogStore: Pick<CatalogStore, "countBySource" | "scan">,
  source: ProductSource,
  staging: StagingFile,
): Promise<void> {
  const stored = (await catalogStore.countBySource())[source];
  let absent = 0;
  for await (const _ of absentProducts(catalogStore, source, staging)) absent += 1;
  if (absent * 100 <= stored * maxRemovedPercent) return;
  const percent = Math.floor((absent * 100) / stored);
  throw new FeedError(
    `The feed does not list ${absent} of the ${stored} products of ${source} (${percent} %). At most ${maxRemovedPercent} % are deleted, because the feed may be incomplete. Nothing was changed. If the feed is complete, import it with --no-removal-limit.`,
  );
}

/** Reads the whole feed into the staging file. */
async function stageFeed(
  chunks: AsyncIterable<Uint8Array>,
  staging: StagingFile,
  options: ReadRowsOptions,
  summary: ImportSummary,
  onReject: (rejected: Rejected) => void,
  room: StagingRoom,
): Promise<SavedColumnMap | undefined> {
  let usedMap: SavedColumnMap | undefined;
  let unused: UnusedColumns | undefined;
  const ignored = new IgnoredFields();
  const observer = {
    onEncoding(name: string) {
      summary.encoding = name;
    },
    onTable(table: TableLayout, map: SavedColumnMap | undefined) {
      summary.layout = table.name;
      usedMap = map;
      unused = table.unused;
    },
  };
  summary.kind = "inventory";
  const attributes = new AttributeCounts();
  for await (const rows of readRows(chunks, options, observer)) {
    for (const { line, kind, isUnpublished, ...result } of rows) {
      summary.rows += 1;
      summary.kind = kind;
      ignored.add(result.ignored);
      if (isUnpublished) summary.unpublished += 1;
      if ("change" in result) {
        summary.cutAttributes += result.cutAttributes?.length ?? 0;
        noteNames(summary.cutAttributeNames, result.cutAttributes);
        noteNames(summary.unfetchableImages, result.unfetchableImages);
        if ("attributes" in result.change) attributes.addAll(result.change.attributes ?? {});
        staging.add(result.change);
        continue;
      }
      summary.refused += 1;
      if (result.key !== undefined) staging.addSeen(options.source, result.key);
      onReject({ line, ...(result.key !== undefined && { key: result.key }), ...result.fault });
    }
    await room.check();
  }
  noteIgnored(summary, unused ?? ignored.unused(summary.rows));
  const unfiltered = attributes.describeOthers();
  if (unfiltered !== undefined) summary.unfiltered = unfiltered;
  return usedMap;
}
