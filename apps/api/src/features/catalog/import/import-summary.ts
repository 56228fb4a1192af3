import type { ProductSource } from "../../../domain/product.ts";

/** A row that was refused, and why. */
export interface Rejected {
  line: number;
  key?: string;
  field?: string;
  reason: string;
}

export interface ImportSummary {
  source: ProductSource;
  feed: string;
  /** The server said that the feed is still the one that was imported last: nothing was read. */
  notModified: boolean;
  /** Rows of the feed, and how many of them were refused. */
  rows: number;
  refused: number;
  /** What became of the products. `created + updated + unchanged + failed` are those that the feed names. */
  created: number;
  updated: number;
  unchanged: number;
  /** Could not be applied for a fault of the store, and are dead letters. */
  failed: number;
  /** Absent from a full feed, and therefore out of stock now. */
  outOfStock: number;
}

export function emptySummary(source: ProductSource, feed: string): ImportSummary {
  return {
    source,
    feed,
    notModified: false,
    rows: 0,
    refused: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    outOfStock: 0,
  };
}

/** How far an import is. Amounts are bytes while reading, products while applying. */
export interface ImportStep {
  phase: "waiting" | "reading" | "sorting" | "finishing" | "applying";
  done: number;
  total?: number;
  /** While waiting: for whom; while finishing: what was left behind. */
  label?: string;
}
