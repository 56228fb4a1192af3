import type { FeedChange, ProductSource } from "../domain/product.ts";

/** What a server said about the version of a feed; sent back with the next request. */
export interface FeedVersion {
  url: string;
  etag?: string;
  lastModified?: string;
}

/**
 * What to do with products of the source that the feed does not list; each includes the one before it. `remove` refuses a
 * feed that would remove too many. Databases store the position in this list.
 */
export const absentRules = ["keep", "out_of_stock", "remove", "remove_without_limit"] as const;
export type AbsentRule = (typeof absentRules)[number];

/** An import whose feed was read completely. It is always finished, even after a crash. */
export interface SealedImport {
  source: ProductSource;
  stagingFile: string;
  /** When fetching the feed began, by the clock of the database. The feed never undoes what one that began later wrote. */
  startedAtMs: number;
  absent: AbsentRule;
  /** The last staged row that was applied, 0 for none. */
  position: number;
  /** Stored when the import is finished. */
  version?: FeedVersion;
}

/** The running import, for the message to those who must wait. */
export interface LeaseHolder {
  label: string;
  startedAtMs: number;
}

export type Lease =
  | {
      acquired: true /** Left behind by a process that died: to be finished first. */;
      unfinished?: SealedImport;
    }
  | { acquired: false; holder: LeaseHolder };

/**
 * One import into a source is applied at a time, over all processes. Fetching a feed needs no lease. A dead process frees
 * the lease by not renewing it. The catalog store records the progress of an import together with the products.
 */
export interface ImportJournal {
  /** Identifies this owner, which holds one lease at a time, to the catalog store. */
  readonly owner: string;
  /** The duration of the lease: longer than an importer is ever busy between two renewals. */
  readonly leaseMs: number;
  /** Takes the lease of the source for `leaseMs` if it is free, has expired, or its holder is known to be dead. */
  acquire(source: ProductSource, label: string, leaseMs: number): Promise<Lease>;
  /** False if the lease is lost. */
  renew(leaseMs: number): Promise<boolean>;
  /** The feed was read completely. Fails with `ImportLeaseLostError` if the lease is lost; so do the next two. */
  seal(sealed: SealedImport): Promise<void>;
  /**
   * The import is complete: removes it, and keeps the lease. The feed's version is kept only if all rows were applied:
   * otherwise the feed must be read again.
   */
  finish(isWhole: boolean): Promise<void>;
  /** Removes a sealed import that can never be finished because its file is gone. The lease stays. */
  discard(): Promise<void>;
  /** Releases the lease. A sealed import stays for the next owner to finish. */
  release(): Promise<void>;
  /** The source whose lease finds an interrupted import that nobody works on, if there is one. */
  findUnfinished(): Promise<ProductSource | undefined>;
  /** The staging files of all sealed imports. */
  sealedFiles(): Promise<string[]>;
  /** Of the imports into the source that were finished, the newest time at which fetching a feed began. */
  newestStart(source: ProductSource): Promise<number | undefined>;
  /**
   * The version of the feed that was imported last from this URL into the source, if absent products were handled at
   * least as strictly then.
   */
  lastVersion(source: ProductSource, url: string, absent: AbsentRule): Promise<FeedVersion | undefined>;
}

export interface StagedRow {
  /** The number of the row in its file. */
  position: number;
  change: FeedChange;
}

/** The content of a sealed file has changed, so it cannot be used any more. */
export class StagingDamaged extends Error {
  override readonly name = "StagingDamaged";
}

/**
 * A feed while it is read, on disk and not in memory. Synchronous, because a promise per row is too slow for a
 * million rows.
 */
export interface StagingFile {
  readonly name: string;
  add(change: FeedChange): void;
  /** A refused row: its product counts as listed in the feed. */
  addSeen(source: ProductSource, key: string): void;
  /** What was added until now, duplicates and refused rows included. */
  size(): { rows: number; bytes: number };
  /** Sorts the rows and makes the file durable. Nothing can be added afterwards. The thread stays free meanwhile. */
  seal(signal: AbortSignal): Promise<void>;
  /** Stores the sealed file where other nodes find it. Only the holder of the source's import lease may call it. */
  share(signal: AbortSignal): Promise<void>;
  /** The number of different products to apply after the row at `position`; 0 is before the first. */
  countAfter(position: number): Promise<number>;
  /**
   * The last row of each key after `position`, in the order of the products' identifiers: adjacent rows are then also
   * adjacent in the database's indexes.
   */
  rowsAfter(position: number): Iterable<StagedRow>;
  /** Whether the feed has a row with this key. */
  has(source: ProductSource, key: string): boolean;
  close(): void;
}

/** Stores feeds between reading and applying. */
export interface StagingArea {
  create(source: ProductSource): Promise<StagingFile>;
  /**
   * Opens a sealed file; undefined if it is gone. This and reading fail with `StagingDamaged` if the file is damaged.
   */
  open(name: string): Promise<StagingFile | undefined>;
  /** The bytes of all files on this machine's disk, also those of other processes. */
  usedBytes(): Promise<number>;
  /** Removes a file that is not needed any more. It must be closed. */
  remove(name: string): Promise<void>;
  /**
   * Removes what dead processes left: their files that are not those of sealed imports, which are asked for after it is
   * known who is dead. What other nodes find is removed only by the holder of an import lease, for its source.
   */
  clear(sealedFiles: () => Promise<readonly string[]>): Promise<void>;
}

/** A feed that the service imports repeatedly, identified by source and URL. */
export interface ScheduledFeed {
  source: ProductSource;
  url: string;
  periodMs: number;
  absent: AbsentRule;
}

/** The result of one import; the numbers count products, except `rows`, `refused` and `duplicates`. */
export interface PullResult {
  notModified: boolean;
  rows: number;
  refused: number;
  duplicates: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  removed: number;
  /** A row with prices and stock only, or a deletion, of a product that does not exist. */
  notFound: number;
  /** Not changed, because an import whose feed was fetched later has changed the product. */
  outdated: number;
  outOfStock: number;
}

export interface FeedState extends ScheduledFeed {
  /** The time of the next import. */
  nextAtMs: number;
  /** Consecutive failures. */
  failures: number;
  attemptedAtMs?: number;
  succeededAtMs?: number;
  /** The error of the last attempt, if it failed. */
  error?: string;
  /** The time of the last successful attempt. */
  result?: PullResult;
  /** The version that was imported last, as reported by the server. */
  version?: Omit<FeedVersion, "url">;
}

interface PullSuccess {
  nextAtMs: number;
  result: PullResult;
  version: Omit<FeedVersion, "url"> | undefined;
  /** Whole products were overwritten: other feeds of the source are read again, even if they have not changed. */
  isOverwriting: boolean;
}

/** A feed that this process imports. The time at which it was taken identifies the lease. */
export type TakenFeed = FeedState & Required<Pick<FeedState, "attemptedAtMs">>;

/**
 * The schedule of feeds and the results of their imports. All processes on one database share it. What a process records
 * after its lease has passed to another one is ignored.
 */
export interface FeedSchedule {
  /** The duration of a lease: longer than an importer is ever busy between two renewals. */
  readonly leaseMs: number;
  /** Sets the feeds. New ones are due at once; existing ones keep their state. */
  configure(feeds: readonly ScheduledFeed[]): Promise<void>;
  /** Leases the feed that has been due for the longest time, for `leaseMs`. */
  take(): Promise<TakenFeed | undefined>;
  /** Renews the lease of a feed; false if it is lost. */
  renew(feed: TakenFeed): Promise<boolean>;
  /** These two end the lease. */
  recordSuccess(feed: TakenFeed, success: PullSuccess): Promise<void>;
  recordFailure(feed: TakenFeed, failure: { nextAtMs: number; error: string }): Promise<void>;
  /** Ends the lease of a feed whose import was interrupted; the feed is due again. */
  release(feed: TakenFeed): Promise<void>;
  /** Ordered by source and URL. */
  list(): Promise<FeedState[]>;
}

/** How a table is read whose columns have other names than Google's. */
export interface ColumnMap {
  /** The column of each field, as written in the table; a list of some has several. */
  fields: Readonly<Record<string, string | readonly string[]>>;
  /** Columns that become attributes of the same name. */
  attributes: readonly string[];
}

/** A map with the other settings that it was given with. */
export interface SavedColumnMap extends ColumnMap {
  /** The address of the shop, for tables without addresses of product pages. */
  site?: string;
  storeName?: string;
  categorySeparator?: string;
}

/** All columns of a map, sorted. Tables with the same ones are read alike. */
export function columnsOfMap({ fields, attributes }: ColumnMap): string[] {
  return [...new Set([...Object.values(fields).flat(), ...attributes])].toSorted();
}

/** The maps that tables of a source were read with, for the next import of a table with the same columns. */
export interface ColumnMapStore {
  /** The one that was saved last comes first. */
  list(source: ProductSource): Promise<SavedColumnMap[]>;
  /** Replaces one with the same columns. Only the newest 20 of a source are kept. */
  save(source: ProductSource, map: SavedColumnMap): Promise<void>;
  clear(source: ProductSource): Promise<void>;
}

/**
 * Notes which products were written directly, not by a feed, and when. An import whose feed was fetched before leaves such a
 * product as it is, whether the direct write changed it, deleted it, or found it as it should be.
 */
export interface WrittenProducts {
  /** Call it before the products are written: an import may apply its rows at the same time. By `_id`, with the time of the database. */
  note(productIds: readonly string[]): Promise<void>;
  /** Forgets at most `limit` notes that are older than any import that is still to be applied; returns how many. */
  removeExpired(limit: number): Promise<number>;
}

/** The space on the disk of `DATA_DIR`, in bytes. */
export interface DiskSpace {
  free: number;
  total: number;
}

export type ReadDiskSpace = () => Promise<DiskSpace>;

/** SQLite and the system report a full disk in several ways; the error may come from another thread. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (/^(?:SQLITE_FULL|SQLITE_IOERR_(?:SHM|WRITE|TRUNCATE|FSYNC)\w*|ENOSPC|EDQUOT|53100)$/.test(code))
    return true;
  return error.cause !== undefined && isDiskFull(error.cause);
}
