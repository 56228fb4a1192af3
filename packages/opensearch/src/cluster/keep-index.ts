import { ApiError, isTransient } from "@product-search/core/errors.ts";
import { backoffMs, pause } from "@product-search/core/mechanisms/retry.ts";
import { LeaseLostError } from "@product-search/core/ports/leases.ts";
import { type Cluster, ClusterError } from "./cluster.ts";
import {
  type BuiltIndex,
  beginLease,
  createIndex,
  createStateIndex,
  deleteOtherIndexes,
  estimateEntries,
  findBuiltIndex,
  findUnfinished,
  type HeldLease,
  hasWrongShards,
  openWriter,
  putUnderAlias,
  readShape,
  type ShardRule,
  saveState,
  setReplicas,
  shardsFor,
  writerOf,
} from "./index-names.ts";
import {
  type GroupSource,
  type IndexEntry,
  type VersionedEntry,
  writeEntries,
  writeWithGroups,
} from "./write-entries.ts";

/** The rows of the database from which an index is built. */
export interface IndexSource {
  /** Tells what is indexed, such as the model of vectors: an index of something else is replaced. */
  readonly identity: string;
  /**
   * The same rows for an index with another identity, which is kept up to date until it is replaced. Undefined if they
   * cannot be made.
   */
  as?(identity: string): IndexSource | undefined;
  /** Tells the history up to a change from another that has the same numbers, of a store that was restored from a backup. */
  markAt(sequence: number): Promise<string>;
  lastSequence(): Promise<number>;
  changesAfter(sequence: number, limit: number): Promise<Array<{ sequence: number; rowId: number }>>;
  /** An entry for every row id, without a source if the row does not exist any more. */
  read(rowIds: readonly number[]): Promise<IndexEntry[]>;
  /** In the order of their ids; empty at the end. */
  scan(afterRowId: number, limit: number): Promise<IndexEntry[]>;
  /** How many rows there are. Default: estimated by their ids. */
  count?(): Promise<number>;
  /** The groups of the rows. Undefined if the index has none. */
  readonly groups?: GroupSource | undefined;
}

export interface KeepIndexSettings {
  readonly cluster: Cluster;
  /** The alias that searches use. */
  readonly alias: string;
  /** Changes of a holder that was paused are refused when the next one has begun. */
  readonly lease: HeldLease;
  /** The version of the layout: an index with a former version is replaced. */
  readonly version: number;
  readonly layout: { readonly settings: object; readonly mappings: object };
  readonly shards: ShardRule;
  /** Copies of each shard besides the first, as far as there are nodes for them. Default: 1. */
  readonly replicas?: number;
  readonly refreshInterval: string;
  readonly source: IndexSource;
  /** Called with rows that OpenSearch rejects, and with failures, after which the work is retried. */
  readonly onRefused: (rowId: number, reason: string) => void;
  readonly onError: (error: unknown) => void;
  /** Called when the index has a newer version of the layout: then nothing is written. */
  readonly onNewerLayout: (version: number) => void;
  readonly pollMs?: number;
  /** How often it is checked whether the index has outgrown its shards. */
  readonly measureMs?: number;
  /** How long running searches may use a replaced index. */
  readonly retireMs?: number;
}

const maxBatchSize = 500;
const batchGrowth = 1.25;
const usualReplicas = 1;
const maxRetryMs = 1_000;
/** How often it is looked whether the store is still the same. */
const checkMs = 1_000;

/**
 * Keeps the index behind the alias up to date with the database until the signal aborts or the lease is lost. An index
 * that cannot be used is replaced: a new one is built next to it, and searches use it when it is complete. An index of a
 * newer release stays: the work ends, so that a node of that release can have the lease.
 */
export async function keepIndex(settings: KeepIndexSettings, signal: AbortSignal): Promise<void> {
  const { pollMs = 100, onError } = settings;
  const keeper = new IndexKeeper(settings, signal);
  for (let failures = 0; !signal.aborted; ) {
    try {
      const step = await keeper.advance();
      if (step === "newer layout") return;
      failures = 0;
      if (step === "nothing to do") await pause(pollMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LeaseLostError) return onError(error);
      if (error instanceof ClusterError && error.isMissing) keeper.openAgain();
      else if (!mayPass(error)) throw error;
      else if (error instanceof ClusterError) keeper.halveBatches();
      if (failures === 0) onError(error);
      await pause(backoffMs(failures++, pollMs, maxRetryMs), signal);
    }
  }
}

/** OpenSearch refuses or cannot be reached, or the store cannot: it goes on when they can. */
function mayPass(error: unknown): boolean {
  return error instanceof ClusterError || isTransient(error);
}

/** An index, the lease alias under which it is written, and what it is written from. */
interface OpenIndex {
  readonly leaseAlias: string;
  readonly built: BuiltIndex;
  readonly source: IndexSource;
}

class IndexKeeper {
  readonly #settings: KeepIndexSettings;
  readonly #signal: AbortSignal;
  #current: OpenIndex | undefined;
  #retired: { readonly atMs: number } | undefined;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #measuredAtMs = Number.NEGATIVE_INFINITY;
  #batchSize = maxBatchSize;

  constructor(settings: KeepIndexSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Does the next part of the work. */
  async advance(): Promise<"done" | "nothing to do" | "newer layout"> {
    if (performance.now() >= this.#checkedAtMs + checkMs) {
      if (this.#current !== undefined && !(await this.#isStillRight(this.#current.built))) this.openAgain();
      this.#checkedAtMs = performance.now();
    }
    this.#current ??= await this.#open();
    if (this.#current === undefined) return "newer layout";
    if (await this.#hasOutgrown(this.#current.built))
      this.#current = await this.#build(this.#current.leaseAlias, this.#current);
    if (this.#retired !== undefined && performance.now() >= this.#retired.atMs)
      await this.#deleteOthers(this.#current.leaseAlias);
    return (await this.#apply(this.#current)) ? "done" : "nothing to do";
  }

  /** The index was deleted, or another node has the lease: everything is looked up again. */
  openAgain(): void {
    this.#current = undefined;
  }

  /** After a failure: a busy OpenSearch may have had too little time for so many. They grow again as they are written. */
  halveBatches(): void {
    this.#batchSize = Math.ceil(this.#batchSize / 2);
  }

  async #hasOutgrown({ name }: BuiltIndex): Promise<boolean> {
    const { cluster, shards, measureMs = 60_000 } = this.#settings;
    if (performance.now() < this.#measuredAtMs + measureMs) return false;
    const isWrong = hasWrongShards(shards, await readShape(cluster, name));
    this.#measuredAtMs = performance.now();
    return isWrong;
  }

  async #isStillRight(built: BuiltIndex): Promise<boolean> {
    const { cluster, alias } = this.#settings;
    return (await findBuiltIndex(cluster, alias))?.name === built.name && (await this.#isOfStore(built));
  }

  /** Undefined if the index has a newer layout. */
  async #open(): Promise<OpenIndex | undefined> {
    const { cluster, alias, lease, version, source, onNewerLayout } = this.#settings;
    const before = await findBuiltIndex(cluster, alias);
    if (before !== undefined && before.version > version) {
      onNewerLayout(before.version);
      return undefined;
    }
    await createStateIndex(cluster, alias);
    const leaseAlias = await beginLease(cluster, alias, lease);
    // Only now does no former holder change it any more.
    const built = await findBuiltIndex(cluster, alias);
    if (built?.name !== before?.name) throw new ClusterError(404, `"${alias}" was moved meanwhile`);
    const formerSource = built && (built.identity === source.identity ? source : source.as?.(built.identity));
    if (built === undefined || formerSource === undefined || !(await this.#isOfStore(built)))
      return this.#build(leaseAlias, undefined);
    await openWriter(cluster, alias, leaseAlias, built.name);
    const { replicas = usualReplicas } = this.#settings;
    await setReplicas(cluster, writerOf(alias, leaseAlias, built.name), replicas);
    const found = { leaseAlias, built, source: formerSource };
    const isRight = built.version === version && built.identity === source.identity;
    if (!isRight || (await this.#hasOutgrown(built))) return this.#build(leaseAlias, found);
    await this.#deleteOthers(leaseAlias);
    return found;
  }

  /** Not when the store was put back to an earlier day: numbers that the index knows are given again. */
  async #isOfStore({ sequence, mark }: BuiltIndex): Promise<boolean> {
    const { source } = this.#settings;
    return sequence <= (await source.lastSequence()) && mark === (await source.markAt(sequence));
  }

  /** `former` is searched meanwhile, and kept up to date. */
  async #build(leaseAlias: string, former: OpenIndex | undefined): Promise<OpenIndex> {
    const { cluster, alias, refreshInterval, retireMs = 60_000 } = this.#settings;
    const opened = (await this.#resume(leaseAlias)) ?? (await this.#begin(leaseAlias, former));
    await this.#copyRows(opened, former);
    while (await this.#apply(opened, true)) {
      this.#signal.throwIfAborted();
      if (former !== undefined) await this.#apply(former);
    }
    await putUnderAlias(cluster, alias, leaseAlias, opened.built.name, refreshInterval);
    this.#retired = { atMs: performance.now() + retireMs };
    return opened;
  }

  /** Goes on with an index that another holder, or this one before a fault, has left unfinished. */
  async #resume(leaseAlias: string): Promise<OpenIndex | undefined> {
    const { cluster, alias, version, source } = this.#settings;
    for (const built of await findUnfinished(cluster, alias)) {
      if (built.version !== version || built.identity !== source.identity) continue;
      if (!(await this.#isOfStore(built))) continue;
      await openWriter(cluster, alias, leaseAlias, built.name);
      return { leaseAlias, built, source };
    }
    return undefined;
  }

  async #begin(leaseAlias: string, former: OpenIndex | undefined): Promise<OpenIndex> {
    const { cluster, alias, version, source, layout, replicas = usualReplicas } = this.#settings;
    await this.#deleteOthers(leaseAlias);
    const sequence = await source.lastSequence();
    const entries = former
      ? (await readShape(cluster, former.built.name)).entries
      : await estimateEntries(source);
    const shards = shardsFor(this.#settings.shards, entries);
    const name = await createIndex(cluster, alias, version, { ...layout, shards, replicas });
    await openWriter(cluster, alias, leaseAlias, name);
    const mark = await source.markAt(sequence);
    const total = (await source.count?.()) ?? entries;
    const build = { written: 0, total, sinceMs: Date.now() };
    const built: BuiltIndex = {
      name,
      sequence,
      version,
      identity: source.identity,
      mark,
      scannedTo: 0,
      build,
    };
    await saveState(cluster, leaseAlias, built);
    return { leaseAlias, built, source };
  }

  /** Writes the rows of the source. The changes since the build began are applied afterwards. */
  async #copyRows(opened: OpenIndex, former: OpenIndex | undefined): Promise<void> {
    const { cluster } = this.#settings;
    const { leaseAlias, built, source } = opened;
    const { sequence: version } = built;
    while (built.scannedTo !== undefined) {
      this.#signal.throwIfAborted();
      const entries = await source.scan(built.scannedTo, this.#batchSize);
      await this.#write(
        opened,
        entries.map((entry) => ({ ...entry, version })),
        version,
      );
      built.scannedTo = entries.at(-1)?.id;
      built.build.written += entries.length;
      // A later holder goes on from there.
      await saveState(cluster, leaseAlias, built);
      if (former !== undefined) await this.#apply(former);
    }
  }

  async #apply(index: OpenIndex, isBuilding = false): Promise<boolean> {
    const { cluster } = this.#settings;
    const { leaseAlias, built, source } = index;
    const head = await source.lastSequence();
    if (head <= built.sequence) return false;
    const headMark = await source.markAt(head);
    const found = await source.changesAfter(built.sequence, this.#batchSize);
    const changes = found.filter(({ sequence }) => sequence <= head);
    const last = changes.at(-1);
    // All these products have changed again since the head was read.
    if (last === undefined) return true;
    const progress = { sequence: last.sequence, mark: await source.markAt(last.sequence) };
    const versionOf = new Map(changes.map(({ rowId, sequence }) => [rowId, sequence]));
    const entries = await source.read([...versionOf.keys()]);
    // If the head still has its mark, the changes and their mark are from one history. It is that of the index if the mark of
    // the index is the same. When an index has been built for long, the mark of its beginning is not kept any more.
    const isSame = (await source.markAt(head)) === headMark;
    if (!isSame || !(isBuilding || (await this.#isOfStore(built)))) {
      this.#checkedAtMs = Number.NEGATIVE_INFINITY;
      throw new ApiError("unavailable", "The database has another history: a backup, or another server.");
    }
    await this.#write(
      index,
      entries.map((entry) => ({ ...entry, version: versionOf.get(entry.id) ?? last.sequence })),
      head,
    );
    this.#signal.throwIfAborted();
    await saveState(cluster, leaseAlias, { ...built, ...progress });
    Object.assign(built, progress);
    return true;
  }

  async #write(
    { leaseAlias, built, source }: OpenIndex,
    entries: readonly VersionedEntry[],
    head: number,
  ): Promise<void> {
    const { cluster, alias, version, onRefused } = this.#settings;
    const writer = writerOf(alias, leaseAlias, built.name);
    // An index with a former version of the layout may have no groups. It is only searched until it is replaced.
    if (source.groups === undefined || built.version !== version)
      await writeEntries(cluster, writer, entries, onRefused);
    else await writeWithGroups({ cluster, writer, onRefused }, source.groups, entries, head);
    this.#batchSize = Math.min(maxBatchSize, Math.ceil(this.#batchSize * batchGrowth));
  }

  async #deleteOthers(leaseAlias: string): Promise<void> {
    const { cluster, alias } = this.#settings;
    await deleteOtherIndexes(cluster, alias, leaseAlias);
    this.#retired = undefined;
  }
}
