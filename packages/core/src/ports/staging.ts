import type { FeedChange, ProductSource } from "../domain/product.ts";

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
