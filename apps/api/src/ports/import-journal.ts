import type { ProductSource } from "../domain/product.ts";

/** What a server said of the version of a feed, to be asked with the next time. */
export interface FeedVersion {
  url: string;
  etag?: string;
  lastModified?: string;
}

/** What becomes of products of the source that the feed does not name; each includes the one before it. */
export const absentRules = ["keep", "out_of_stock", "remove"] as const;
export type AbsentRule = (typeof absentRules)[number];

/** An import whose feed was read whole. It only goes forward from there, whatever happens. */
export interface SealedImport {
  source: ProductSource;
  stagingFile: string;
  absent: AbsentRule;
  /** The last staged row that was applied, 0 for none. */
  position: number;
  /** Kept when the import is finished. */
  version?: FeedVersion;
}

/** Who imports now, for the message to whoever must wait. */
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
 * One import at a time, over all processes. The lease is a lease: a process that dies frees it by not renewing it.
 * How far the application got is recorded by the catalog store, together with the products.
 */
export interface ImportJournal {
  /** Names this owner to the catalog store. */
  readonly owner: string;
  /** How long to take the lease for: longer than an importer is ever busy between two renewals. */
  readonly leaseMs: number;
  /** Takes the lease for `leaseMs`, when nobody holds it, its lease has run out, or its holder is seen to be dead. */
  acquire(label: string, leaseMs: number): Promise<Lease>;
  /** False when the lease is lost. */
  renew(leaseMs: number): Promise<boolean>;
  /** The feed was read whole. Fails with `ImportLeaseLostError` when the lease is lost, as do the next two. */
  seal(sealed: SealedImport): Promise<void>;
  /** Applied whole: forgets the import, keeps the feed's version and the lease. */
  finish(): Promise<void>;
  /** Forgets a sealed import that can never be finished, its file being gone. The lease stays. */
  discard(): Promise<void>;
  /** Gives the lease up. A sealed import stays, for the next one to finish. */
  release(): Promise<void>;
  /** Whether an import was left behind that nobody works on. */
  hasUnfinished(): Promise<boolean>;
  /**
   * The version of the feed that was imported last from there into the source, if as much was done then with products that
   * it does not name.
   */
  lastVersion(source: ProductSource, url: string, absent: AbsentRule): Promise<FeedVersion | undefined>;
}
