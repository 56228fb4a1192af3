import type { ProductInput } from "../domain/product.ts";

export interface StagedRow {
  /** Counted from 1, in the order of the feed. */
  position: number;
  input: ProductInput;
}

/** A feed as it is read, on disk and not in memory. Made for a million rows: hence no promise for each. */
export interface StagingFile {
  readonly name: string;
  add(input: ProductInput): void;
  /** A row that was refused: its product is in the feed all the same. */
  addSeen(key: string): void;
  /** Makes the file durable; nothing is added after it. Memory stays flat. */
  seal(): Promise<void>;
  /** How many different products there are to apply after `position`. */
  countAfter(position: number): number;
  /** The last row of each key, in the order of the feed, from after `position` on. */
  rowsAfter(position: number): Iterable<StagedRow>;
  /** Whether the feed named the key. */
  has(key: string): boolean;
  close(): void;
}

/** Where feeds are kept between being read and being applied. */
export interface StagingArea {
  create(): Promise<StagingFile>;
  /** A sealed one; undefined when it is gone. */
  open(name: string): Promise<StagingFile | undefined>;
  /** Removes every file but the one named: what dead processes left. Only for whoever holds the claim on importing. */
  clear(exceptName?: string): Promise<void>;
}
