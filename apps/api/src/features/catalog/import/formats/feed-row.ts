/** Why a row is refused: which field, and what is wrong with it. */
export interface RowIssue {
  field?: string;
  reason: string;
}

/** A row of our own product shape: whatever JSON holds. */
export type NativeRecord = Readonly<Record<string, unknown>>;

/** A row of a merchant feed: field names as Google writes them, each with its values in order. */
export type MerchantRecord = ReadonlyMap<string, readonly string[]>;

/** What the rows of a feed are: whole products, or prices and stock of products that exist. */
export type FeedKind = "products" | "inventory";

/** One product of a feed as it was written, or why it cannot be read. Lines are counted from 1. */
export type FeedRow = { line: number } & (
  | { own: NativeRecord }
  | { merchant: MerchantRecord; storeName?: string; kind?: FeedKind }
  | { fault: RowIssue }
);

/**
 * Reads a feed piece by piece. It keeps no more than one product, however long the feed is, and throws a
 * `FeedError` when what it was given is no feed or breaks off.
 */
export interface FeedParser {
  push(text: string): FeedRow[];
  end(): FeedRow[];
}

/** The whole feed cannot be used: nothing of it is applied. */
export class FeedError extends Error {
  override readonly name = "FeedError";
}

/** The most that one product may take, in characters: it is held in memory. */
export const maxRowLength = 1_000_000;
export const maxColumns = 1000;
