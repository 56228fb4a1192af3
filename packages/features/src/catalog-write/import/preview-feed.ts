import type { RowField } from "@product-search/core/domain/fields.ts";
import { productId } from "@product-search/core/domain/identity.ts";
import { changedFields, customTooLong, patchProduct } from "@product-search/core/domain/next-product.ts";
import type { ProductInput, ProductSource, StoredProduct } from "@product-search/core/domain/product.ts";
import { categoryPathsOf } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { RowIssue, TableLayout } from "@product-search/feeds/formats/feed-row.ts";
import { assertStoreCurrency } from "../store-currency.ts";
import { defaultsOf, type FeedReading, type ImportFeedDeps, readingOf } from "./import-feed.ts";
import { openFeed } from "./open-feed.ts";
import { type ReadFeedRow, readRows } from "./read-rows.ts";

/** What an import of a row would do. */
export interface PreviewRow {
  line: number;
  key?: string;
  outcome: "new" | "changed" | "unchanged" | "deleted" | "not found" | "unpublished" | "refused";
  /** The product as it would be stored. */
  product?: ProductInput;
  /** What the stored product has now. */
  changes?: FieldChange[];
  fault?: RowIssue;
}

export interface FieldChange {
  field: RowField;
  from: unknown;
  to: unknown;
}

export interface FeedPreview {
  layout?: TableLayout;
  encoding: string;
  rows: PreviewRow[];
}

export interface PreviewOptions extends FeedReading {
  /** A path, or an http or https URL. */
  feed: string;
  source: ProductSource;
  /** How many rows are read. */
  limit: number;
}

/** Reads the first rows of a feed and compares them with the store, which does not change. */
export async function previewFeed(
  deps: Omit<ImportFeedDeps, "importJournal" | "stagingArea">,
  options: PreviewOptions,
  signal: AbortSignal,
): Promise<FeedPreview> {
  const { catalogStore, clock, currency } = deps;
  const { feed, source, limit } = options;
  await assertStoreCurrency(deps.storeCurrency, currency);
  const preview: FeedPreview = { encoding: "utf-8", rows: [] };
  const opened = await openFeed(deps, feed, undefined, deps.fetchPace ?? {}, signal);
  if (opened === undefined) return preview;
  const observer = {
    onEncoding(name: string) {
      preview.encoding = name;
    },
    onTable(layout: TableLayout) {
      preview.layout = layout;
    },
  };
  const reading = await readingOf(deps, options);
  const rules = { source, currency, nowMs: clock.now(), catalogStore, ...defaultsOf(opened), ...reading };
  for await (const rows of readRows(opened.chunks, rules, observer)) {
    for (const row of rows) {
      if (preview.rows.length >= limit) return preview;
      preview.rows.push(await previewRow(catalogStore, row));
    }
  }
  return preview;
}

async function previewRow(
  catalogStore: Pick<CatalogStore, "findById">,
  row: ReadFeedRow,
): Promise<PreviewRow> {
  const { line } = row;
  if ("fault" in row)
    return { line, outcome: "refused", fault: row.fault, ...(row.key !== undefined && { key: row.key }) };
  const { change } = row;
  const { key, source } = change;
  const stored = await catalogStore.findById(productId(source, key));
  if ("removed" in change && row.isUnpublished && stored === undefined)
    return { line, key, outcome: "unpublished" };
  if ("removed" in change) return { line, key, outcome: stored === undefined ? "not found" : "deleted" };
  if (stored === undefined)
    return "patch" in change
      ? { line, key, outcome: "not found" }
      : { line, key, outcome: "new", product: change };
  const product = "patch" in change ? patchProduct(stored, change) : change;
  if (product === undefined)
    return { line, key, outcome: "refused", fault: { field: "custom", reason: customTooLong } };
  const changes = changesBetween(stored, product);
  return { line, key, outcome: changes.length > 0 ? "changed" : "unchanged", product, changes };
}

function changesBetween(stored: StoredProduct, input: ProductInput): FieldChange[] {
  const { reviewCount = 0, isVerified = stored.isVerified, isBoosted = stored.isBoosted } = input;
  const next = { ...input, reviewCount, isVerified, isBoosted };
  const contentOf = (product: ProductInput, field: RowField) =>
    field === "categoryPaths" ? categoryPathsOf(product) : product[field];
  return changedFields(stored, next).map((field) => ({
    field,
    from: contentOf(stored, field),
    to: contentOf(next, field),
  }));
}
