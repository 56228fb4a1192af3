import type { ProductSource } from "@product-search/core/domain/product.ts";
import type { FeedVersion } from "@product-search/core/ports/imports.ts";
import type { FeedKind, UnusedColumns } from "@product-search/feeds/formats/feed-row.ts";

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
  /** Addresses of images that are never fetched, at most 50: on private networks, or with a password. */
  unfetchableImages: string[];
  /** Which attributes are no filters and no facets, if the feed has more than can be. */
  unfiltered?: string;
  /** Names of fields that are kept nowhere, at most 50: those of most rows first. */
  ignoredFields: string[];
  /** In which part of the rows each of them has a value, from 0 to 1. */
  ignoredShares: Record<string, number>;
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
    unfetchableImages: [],
    ignoredFields: [],
    ignoredShares: {},
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
const maxCountedNames = 1000;
const maxNameLength = 100;

/** How many rows have each field that is kept nowhere. Of more than 1000 names, the first are counted. */
export class IgnoredFields {
  readonly #counts = new Map<string, number>();

  add(names: readonly string[] = []): void {
    for (const name of names) {
      const count = this.#counts.get(name);
      if (count !== undefined) this.#counts.set(name, count + 1);
      else if (this.#counts.size < maxCountedNames) this.#counts.set(Buffer.from(name).toString(), 1);
    }
  }

  unused(rows: number): UnusedColumns {
    return { rows, columns: [...this.#counts].map(([column, filled]) => ({ column, filled })) };
  }
}

export function noteIgnored(summary: ImportSummary, { columns, rows }: UnusedColumns): void {
  const sorted = columns
    .filter(({ filled }) => filled > 0)
    .toSorted((one, other) => other.filled - one.filled);
  for (const { column, filled } of sorted) {
    const [name] = noteNames(summary.ignoredFields, [column]);
    if (name !== undefined) summary.ignoredShares[name] = Math.round((filled / rows) * 1000) / 1000;
  }
}

/** Adds names to a list of those that were lost. */
export function noteNames(list: string[], names: readonly string[] = []): string[] {
  const added: string[] = [];
  for (const name of names) {
    if (list.length >= maxNames) break;
    const shown = name.slice(0, maxNameLength).toWellFormed();
    if (list.includes(shown)) continue;
    list.push(shown);
    added.push(shown);
  }
  return added;
}

/** Progress of an import, in bytes while reading and in products while applying. */
export interface ImportStep {
  phase: "waiting" | "reading" | "sorting" | "finishing" | "applying";
  done: number;
  total?: number;
  /** While waiting: the import that it waits for. While finishing: the interrupted import. */
  label?: string;
}
