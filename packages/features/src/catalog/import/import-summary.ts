import type { ProductSource } from "@product-search/core/domain/product.ts";
import type { FeedVersion } from "@product-search/core/ports/import-journal.ts";
import type { FeedKind } from "@product-search/feeds/formats/feed-row.ts";

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
  /** The server said that the feed has not changed since the last import, so nothing was read. */
  notModified: boolean;
  /** What the server said of this version of the feed. */
  version?: Omit<FeedVersion, "url">;
  kind: FeedKind;
  /** How a table was understood, such as "Shopify's product export"; absent for other formats. */
  layout?: string;
  /** The map of the columns was saved for the next import. */
  isMapSaved?: true;
  /** Of the feed's text, such as `utf-8` or `windows-1252`. */
  encoding: string;
  /** The number of rows, of refused rows, and of rows that are followed by a later row of the same product. */
  rows: number;
  refused: number;
  duplicates: number;
  /** The number of names and values of attributes that were cut, because there are too many or they are too long. */
  cutAttributes: number;
  /** Their names, at most 50. */
  cutAttributeNames: string[];
  /** Which attributes are no filters and no facets, if the feed has more than can be. */
  unfiltered?: string;
  /** Names of fields that are kept nowhere, at most 50. */
  ignoredFields: string[];
  /** Outcomes by product. With `removed` and `notFound`, one for each row that was neither refused nor a duplicate. */
  created: number;
  updated: number;
  unchanged: number;
  /** Rows of products that the shop does not show: they are deleted, or were never here. */
  unpublished: number;
  /** Could not be applied because of a database error; now dead letters. */
  failed: number;
  /** Deleted because of a row in the feed. */
  removed: number;
  /** A row with prices and stock only, or a deletion, of a product that does not exist. */
  notFound: number;
  /** Not changed, because a request, or an import whose feed was fetched later, has written the product meanwhile. */
  outdated: number;
  /** Not in a full feed, and therefore now out of stock or deleted. */
  outOfStock: number;
  removedAbsent: number;
}

export function emptySummary(source: ProductSource, feed: string): ImportSummary {
  return {
    source,
    feed,
    notModified: false,
    kind: "products",
    encoding: "utf-8",
    rows: 0,
    refused: 0,
    duplicates: 0,
    cutAttributes: 0,
    cutAttributeNames: [],
    ignoredFields: [],
    created: 0,
    updated: 0,
    unchanged: 0,
    unpublished: 0,
    failed: 0,
    removed: 0,
    notFound: 0,
    outdated: 0,
    outOfStock: 0,
    removedAbsent: 0,
  };
}

const maxNames = 50;
const maxNameLength = 100;

/** Adds names to a list of those that were lost. */
export function noteNames(list: string[], names: readonly string[] = []): void {
  for (const name of names) {
    if (list.length >= maxNames) return;
    const shown = name.slice(0, maxNameLength).toWellFormed();
    if (!list.includes(shown)) list.push(shown);
  }
}

/** Progress of an import, in bytes while reading and in products while applying. */
export interface ImportStep {
  phase: "waiting" | "reading" | "sorting" | "finishing" | "applying";
  done: number;
  total?: number;
  /** While waiting: the import that it waits for. While finishing: the interrupted import. */
  label?: string;
}
