import type { ProductSource } from "../domain/product.ts";

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
