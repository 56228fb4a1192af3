/** Why a row is refused: the field, and what is wrong with it. */
export interface RowIssue {
  field?: string;
  reason: string;
}

/** A native row: any JSON values. */
export type NativeRecord = Readonly<Record<string, unknown>>;

/** A merchant row: Google's field names, each with its values in order. */
export type MerchantRecord = ReadonlyMap<string, readonly string[]>;

/** The kind of rows in a feed: whole products, or prices and stock of existing products. */
export type FeedKind = "products" | "inventory";

/** What a row keeps of a table that has other columns than Google's. */
export interface OtherTable {
  /** The written column of each field, for messages. */
  columns: ReadonlyMap<string, string>;
  /** The table has no addresses of product pages; `path` is that of the page in the shop, if it is clear. */
  noAddress?: { path?: string };
  /** The shop does not show the product. */
  isUnpublished?: boolean;
}

/** One product of a feed as written, or why it cannot be read. Lines are counted from 1. */
export type FeedRow = { line: number } & (
  | { own: NativeRecord; table?: OtherTable }
  | { merchant: MerchantRecord; storeName?: string; kind?: FeedKind }
  | { fault: RowIssue /** What could be read of it: the key may be there. */; record?: FaultyRecord }
);

export type FaultyRecord = { own: NativeRecord } | { merchant: MerchantRecord };

/**
 * Reads a feed in chunks. It keeps at most one product in memory, however long the feed is. Throws a `FeedError` if the
 * input is not a feed or ends early.
 */
export interface FeedParser {
  push(text: string): FeedRow[];
  end(): FeedRow[];
}

/** The whole feed cannot be used: none of it is applied. */
export class FeedError extends Error {
  override readonly name = "FeedError";
}

/** The maximum size of one product in characters: it is held in memory. */
export const maxRowLength = 1_000_000;
export const maxColumns = 1000;

/**
 * Stands for bytes that are not text in the encoding of the feed. Half of a surrogate pair cannot come from valid text, unlike
 * U+FFFD, which a feed may well contain.
 */
export const invalidBytesMark = "\udfff";

export function hasInvalidBytes(text: string): boolean {
  return !text.isWellFormed();
}

/** Reads the rows of a table with other columns. A product may have several rows; a limited number of them is kept. */
export interface TableReader {
  /** Gets the trimmed values of a row, and returns the products that are complete with it. */
  push(line: number, values: readonly string[]): FeedRow[];
  end(): FeedRow[];
  /** The key of a row that is refused, if it can be read: the product counts as listed. */
  keyOf(values: readonly string[]): string | undefined;
  /** Whether the column at this position is read. */
  reads(at: number): boolean;
}

/** The columns that are not read, and in how many of the rows so far each has a value. */
export interface UnusedColumns {
  rows: number;
  columns: readonly { column: string; filled: number }[];
}

/** How a table was understood. */
export interface TableLayout {
  /** What wrote it, or how it is read. */
  name: string;
  /** As written, and by Google's names. */
  columns: readonly string[];
  names: readonly string[];
  /** Of a table, or of the members of a shop's products; it is counted while the rows are read. */
  unused?: UnusedColumns;
  /** The number, in `maps` of the options, of the map that was used. */
  mapNumber?: number;
}
