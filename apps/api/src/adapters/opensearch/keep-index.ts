import { setTimeout } from "node:timers/promises";
import { ApiError } from "../../errors.ts";
import type { Cluster } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";
import {
  type BuiltIndex,
  countDataNodes,
  createIndex,
  createStateIndex,
  deleteOtherIndexes,
  findBuiltIndex,
  putUnderAlias,
  saveState,
  writerOf,
} from "./index-names.ts";
import { type IndexEntry, writeEntries } from "./write-entries.ts";

/** The rows of the database from which an index is built. */
export interface IndexSource {
  /** Tells what is indexed, such as the model of vectors: an index of something else is replaced. */
  readonly identity: string;
  /** Tells the history up to a change from another that has the same numbers, of a store that was restored from a backup. */
  markAt(sequence: number): Promise<string>;
  lastSequence(): Promise<number>;
  changesAfter(sequence: number, limit: number): Promise<Array<{ sequence: number; rowId: number }>>;
  /** An entry for every row id, without a source if the row does not exist any more. */
  read(rowIds: readonly number[]): Promise<IndexEntry[]>;
  /** In the order of their ids; empty at the end. */
  scan(afterRowId: number, limit: number): Promise<IndexEntry[]>;
}

export interface KeepIndexSettings {
  readonly cluster: Cluster;
  /** The alias that searches use. */
  readonly alias: string;
  /** The version of the layout: an index with another version is replaced. */
  readonly version: number;
  readonly layout: { readonly settings: object; readonly mappings: object };
  /** Into how many parts the index is split. Default: one for each node that holds data, when it is built. */
  readonly shards?: number | undefined;
  readonly refreshInterval: string;
  readonly source: IndexSource;
  /** Called with rows that OpenSearch rejects, and with failures, after which the work is retried. */
  readonly onRefused: (rowId: number, reason: string) => void;
  readonly onError: (error: unknown) => void;
  readonly pollMs?: number;
  /** How long running searches may use a replaced index. */
  readonly retireMs?: number;
}

const batchSize = 500;
const longestRetryMs = 1_000;
/** How often it is looked whether the store is still the same. */
const checkMs = 1_000;

/**
 * Keeps the index behind the alias up to date with the database until the signal aborts. There is one such writer at
 * a time; if there are two for a moment, both write the same versions. An index that cannot be used is replaced: a
 * new one is built next to it, and searches use it when it is complete.
 */
export async function keepIndex(settings: KeepIndexSettings, signal: AbortSignal): Promise<void> {
  const { pollMs = 100, onError } = settings;
  const keeper = new IndexKeeper(settings, signal);
  for (let failures = 0; !signal.aborted; ) {
    try {
      const moved = await keeper.advance();
      failures = 0;
      if (!moved) await pause(pollMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ClusterError && error.isMissing) keeper.openAgain();
      else if (!isTemporary(error)) throw error;
      if (failures === 0) onError(error);
      await pause(Math.min(longestRetryMs, pollMs * 2 ** failures++), signal);
    }
  }
}

/** OpenSearch or the store cannot be reached: it goes on when they can. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === "unavailable";
  return error instanceof ClusterError && error.isTemporary;
}

const pause = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal }).catch(() => {});

class IndexKeeper {
  readonly #settings: KeepIndexSettings;
  readonly #signal: AbortSignal;
  #current: BuiltIndex | undefined;
  #retired: { readonly atMs: number } | undefined;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(settings: KeepIndexSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Does the next part of the work; false if there is none. */
  async advance(): Promise<boolean> {
    const { cluster, alias } = this.#settings;
    this.#current ??= await this.#open();
    if (performance.now() >= this.#checkedAtMs + checkMs) {
      if ((await findBuiltIndex(cluster, alias))?.name !== this.#current.name)
        this.#current = await this.#open();
      if (!(await this.#isOfStore(this.#current))) this.#current = await this.#build(undefined);
      this.#checkedAtMs = performance.now();
    }
    if (this.#retired !== undefined && performance.now() >= this.#retired.atMs) await this.#deleteOthers();
    return this.#apply(this.#current);
  }

  /** The index was deleted: it is looked for, and made when there is none. */
  openAgain(): void {
    this.#current = undefined;
  }

  async #open(): Promise<BuiltIndex> {
    const { cluster, alias, version, source } = this.#settings;
    await createStateIndex(cluster, alias);
    const found = await findBuiltIndex(cluster, alias);
    if (found === undefined || found.identity !== source.identity || !(await this.#isOfStore(found)))
      return this.#build(undefined);
    if (found.version !== version) return this.#build(found);
    await deleteOtherIndexes(cluster, alias, [found.name]);
    return found;
  }

  /** Not when the store was put back to an earlier day: numbers that the index knows are given again. */
  async #isOfStore({ sequence, mark }: BuiltIndex): Promise<boolean> {
    const { source } = this.#settings;
    return sequence <= (await source.lastSequence()) && mark === (await source.markAt(sequence));
  }

  /** `former` is searched meanwhile, and kept up to date. */
  async #build(former: BuiltIndex | undefined): Promise<BuiltIndex> {
    const { cluster, alias, version, source, refreshInterval, retireMs = 60_000 } = this.#settings;
    const sequence = await source.lastSequence();
    const shards = this.#settings.shards ?? (await countDataNodes(cluster));
    const name = await createIndex(cluster, alias, version, { ...this.#settings.layout, shards });
    const mark = await source.markAt(sequence);
    const built: BuiltIndex = { name, sequence, version, identity: source.identity, mark };
    for (let last = 0; ; ) {
      this.#signal.throwIfAborted();
      const entries = await source.scan(last, batchSize);
      if (entries.length === 0) break;
      await this.#write(
        name,
        entries.map((entry) => ({ ...entry, version: sequence })),
      );
      last = entries.at(-1)?.id ?? last;
      if (former !== undefined) await this.#apply(former);
    }
    while (await this.#apply(built)) {
      this.#signal.throwIfAborted();
      if (former !== undefined) await this.#apply(former);
    }
    await saveState(cluster, alias, built);
    await putUnderAlias(cluster, alias, name, refreshInterval);
    this.#retired = { atMs: performance.now() + retireMs };
    return built;
  }

  async #apply(index: BuiltIndex): Promise<boolean> {
    const { cluster, alias, source } = this.#settings;
    const changes = await source.changesAfter(index.sequence, batchSize);
    const last = changes.at(-1);
    if (last === undefined) return false;
    const versionOf = new Map(changes.map(({ rowId, sequence }) => [rowId, sequence]));
    const entries = await source.read([...versionOf.keys()]);
    await this.#write(
      index.name,
      entries.map((entry) => ({ ...entry, version: versionOf.get(entry.id) ?? last.sequence })),
    );
    index.sequence = last.sequence;
    index.mark = await source.markAt(last.sequence);
    await saveState(cluster, alias, index);
    return true;
  }

  #write(name: string, entries: Parameters<typeof writeEntries>[2]): Promise<void> {
    const { cluster, onRefused } = this.#settings;
    return writeEntries(cluster, writerOf(name), entries, onRefused);
  }

  async #deleteOthers(): Promise<void> {
    const { cluster, alias } = this.#settings;
    if (this.#current !== undefined) await deleteOtherIndexes(cluster, alias, [this.#current.name]);
    this.#retired = undefined;
  }
}
