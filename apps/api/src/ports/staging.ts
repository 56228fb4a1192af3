import type { FeedChange, ProductSource } from "../domain/product.ts";

export interface StagedRow {
  /** Names the row in its file. */
  position: number;
  change: FeedChange;
}

/** A sealed file is not what was written. What it held cannot be known any more. */
export class StagingDamaged extends Error {
  override readonly name = "StagingDamaged";
}

/** A feed as it is read, on disk and not in memory. Made for a million rows: hence no promise for each. */
export interface StagingFile {
  readonly name: string;
  add(change: FeedChange): void;
  /** A row that was refused: its product is in the feed all the same. */
  addSeen(source: ProductSource, key: string): void;
  /** Makes the file durable; nothing is added after it. Memory stays flat. */
  seal(): Promise<void>;
  /** How many different products there are to apply after the row at `position`; 0 is before the first. */
  countAfter(position: number): number;
  /**
   * The last row of each key in the order of the products' identifiers, from after `position` on: neighbours in this
   * order are neighbours in the store's indexes, too.
   */
  rowsAfter(position: number): Iterable<StagedRow>;
  /** Whether the feed named the key. */
  has(source: ProductSource, key: string): boolean;
  close(): void;
}

/** Where feeds are kept between being read and being applied. */
export interface StagingArea {
  create(): Promise<StagingFile>;
  /** A sealed one; undefined when it is gone. This, and reading from it, fail with `StagingDamaged` when it is damaged. */
  open(name: string): Promise<StagingFile | undefined>;
  /** Removes every file but the one named: what dead processes left. Only for whoever holds the lease on importing. */
  clear(exceptName?: string): Promise<void>;
}
