import { currencyExponent, fromMinor } from "@product-search/core/domain/price/money.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { categoryPathsOf } from "@product-search/core/domain/product.ts";
import type { FeedState, PullResult } from "@product-search/core/ports/imports.ts";
import type { ImportSummary } from "@product-search/features/catalog-write/import/import-summary.ts";
import type {
  FeedPreview,
  FieldChange,
  PreviewRow,
} from "@product-search/features/catalog-write/import/preview-feed.ts";
import { count } from "./output.ts";

export function describeImport(summary: ImportSummary, seconds: number): string {
  if (summary.notModified) return "The feed has not changed since its last import. Nothing was imported.";
  const parts = [
    // What the shop does not show and what was never here counts as not found, too.
    ...outcomesOf({ ...summary, notFound: Math.max(0, summary.notFound - summary.unpublished) }),
    ...(summary.unpublished > 0 ? [`${count(summary.unpublished)} not published in the shop`] : []),
    ...(summary.removedAbsent > 0 ? [`${count(summary.removedAbsent)} no longer listed and deleted`] : []),
    ...problemsOf(summary),
    ...cutsOf(summary),
  ];
  const { layout, isMapSaved } = summary;
  const read = layout === undefined ? "" : ` Read as ${layout}.`;
  const saved = isMapSaved ? " These settings are saved for the next import of such a table." : "";
  return `${rowsOf(summary)} into ${summary.source} in ${seconds} s: ${parts.join(", ")}.${read}${saved}${encodingNote(summary)}`;
}

/** Why an import that read valid rows did nothing at all; undefined if at least one of its products exists. */
export function explainUnknownProducts(summary: ImportSummary): string | undefined {
  const { notFound, created, updated, unchanged, failed, removed, source } = summary;
  if (notFound === 0 || created + updated + unchanged + failed + removed > 0) return undefined;
  if (summary.unpublished === notFound)
    return "The feed has only products that the shop does not show. Nothing was imported.";
  return (
    `No row changed anything: the feed has only prices, stock or deletions, and none of its products exists in ${source}. ` +
    "Import the whole products first, with title, link and price (in the native format name, url and price), or check --source and the identifiers."
  );
}

const rules: Record<FeedState["absent"], string> = {
  keep: "products that it does not list do not change",
  out_of_stock: "products that it does not list become out of stock",
  remove: "products that it does not list are deleted, at most 20 % of the source",
  remove_without_limit: "products that it does not list are deleted",
};

/** A scheduled feed, for reading: its name, its rule, the last import and the next fetch. `feed` has no query. */
export function describeFeed(state: FeedState, feed: string): string {
  const { source, periodMs, absent, failures, error, result, succeededAtMs, attemptedAtMs, nextAtMs } = state;
  const minutes = periodMs / 60_000;
  const every = minutes === 1 ? "every minute" : `every ${count(minutes)} minutes`;
  const lines = [`${source} ${feed}`, `${every}; ${rules[absent]}`];
  if (result !== undefined && succeededAtMs !== undefined)
    lines.push(`last import at ${timeOf(succeededAtMs)}: ${describeResult(result)}`);
  if (error !== undefined && attemptedAtMs !== undefined)
    lines.push(
      `failed ${failures === 1 ? "once" : `${count(failures)} times in a row`}, last at ${timeOf(attemptedAtMs)}: ${error}`,
    );
  return [...lines, `next fetch at ${timeOf(nextAtMs)}`].join("\n  ");
}

function describeResult(result: PullResult): string {
  const parts = [...outcomesOf(result), ...problemsOf(result)].join(", ");
  const read = `${rowsOf(result)}: ${parts}.`;
  return result.notModified ? `the feed has not changed since an import of ${read}` : read;
}

type Counts = Omit<PullResult, "notModified">;

function rowsOf({ rows }: Pick<Counts, "rows">): string {
  return `${count(rows)} ${rows === 1 ? "row" : "rows"}`;
}

function outcomesOf(counts: Counts): string[] {
  const { duplicates, notFound, outdated, outOfStock, removed } = counts;
  return [
    `${count(counts.created)} new`,
    `${count(counts.updated)} changed`,
    `${count(counts.unchanged)} unchanged`,
    ...(removed > 0 ? [`${count(removed)} deleted`] : []),
    ...(notFound > 0 ? [`${count(notFound)} of products that do not exist`] : []),
    ...(outdated > 0 ? [`${count(outdated)} not changed because something newer has changed them`] : []),
    ...(duplicates > 0 ? [`${count(duplicates)} ${duplicates === 1 ? "duplicate" : "duplicates"}`] : []),
    ...(outOfStock > 0 ? [`${count(outOfStock)} no longer listed and now out of stock`] : []),
  ];
}

function problemsOf({ failed, refused }: Pick<Counts, "failed" | "refused">): string[] {
  return [
    ...(failed > 0 ? [`${count(failed)} could not be stored (\`api dead-letters list\`)`] : []),
    ...(refused > 0 ? [`${count(refused)} invalid ${refused === 1 ? "row" : "rows"}`] : []),
  ];
}

function cutsOf({
  cutAttributes,
  cutAttributeNames,
  unfetchableImages,
  unfiltered,
  ignoredFields,
  ignoredShares,
}: ImportSummary): string[] {
  return [
    ...(ignoredFields.length > 0
      ? [`not kept: ${ignoredFields.map((name) => `${name} (${percent(ignoredShares[name])})`).join(", ")}`]
      : []),
    ...(cutAttributes > 0
      ? [
          `${count(cutAttributes)} ${cutAttributes === 1 ? "attribute" : "attributes"} cut: ${cutAttributeNames.join(", ")}`,
        ]
      : []),
    ...(unfetchableImages.length > 0
      ? [`images that are never fetched, because their address is private: ${unfetchableImages.join(", ")}`]
      : []),
    ...(unfiltered === undefined ? [] : [unfiltered]),
  ];
}

/** Of the rows that have a value there. */
function percent(share = 0): string {
  return share < 0.01 ? "under 1 % of rows" : `${Math.round(share * 100)} %`;
}

/** Only if it is not obvious. */
function encodingNote({ encoding }: ImportSummary): string {
  return encoding === "utf-8" ? "" : ` The feed was read as ${encoding}.`;
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const maxLength = 120;

/** What an import would do with the first rows of a feed, for reading. */
export function describePreview({ layout, encoding, rows }: FeedPreview, currency: string): string {
  const read = layout === undefined ? "Read" : `Read as ${layout.name}`;
  const lines = rows.flatMap((row) => describeRow(row, currency));
  return [
    `${read}, in ${encoding}. The first ${rows.length === 1 ? "row" : `${rows.length} rows`}:`,
    ...lines,
    "Nothing was changed. Without --dry-run, the whole feed is imported.",
  ].join("\n");
}

function describeRow(
  { line, key, outcome, product, changes, fault }: PreviewRow,
  currency: string,
): string[] {
  const title = `line ${line}: ${[outcome, key, product?.name].filter(Boolean).join(" · ")}`;
  if (fault !== undefined)
    return [`${title}: ${fault.field === undefined ? "" : `${fault.field} `}${fault.reason}`];
  if (product === undefined) return [`${title}${reasons[outcome] ?? ""}`];
  if (outcome === "unchanged") return [title];
  const details =
    outcome === "changed"
      ? (changes ?? []).map((change) => describeChange(change, currency))
      : describeProduct(product, currency);
  return [title, ...details.map((detail) => `    ${shorten(detail)}`)];
}

const reasons: Partial<Record<PreviewRow["outcome"], string>> = {
  "not found": ": no product has this key, so nothing changes",
  unpublished: ": the shop does not show it, and it is not here",
};

function describeProduct(product: ProductInput, currency: string): string[] {
  const { priceMinor, originalPriceMinor: former, availability, brand, storeName, groupId, images } = product;
  const reduction =
    former !== undefined && former > priceMinor ? ` instead of ${price(former, currency)}` : "";
  const paths = categoryPathsOf(product).map((path) => path.join(" > "));
  const attributes = Object.entries(product.attributes ?? {}).map(
    ([name, values]) => `${name}: ${values.join(", ")}`,
  );
  return [
    `${price(priceMinor, currency)}${reduction}, ${availability.replaceAll("_", " ")}, ${storeName}`,
    [...(brand === undefined ? [] : [`brand ${brand}`]), ...paths].join(", "),
    [...attributes, ...(groupId === undefined ? [] : [`variant of ${groupId}`])].join("; "),
    `${product.url}, ${images.length === 1 ? "1 image" : `${images.length} images`}`,
    product.description,
  ].filter((line) => line !== "");
}

function describeChange({ field, from, to }: FieldChange, currency: string): string {
  const isPrice = field === "priceMinor" || field === "originalPriceMinor";
  const text = (value: unknown): string => {
    if (value === undefined || value === "") return "none";
    if (isPrice && typeof value === "number") return price(value, currency);
    return shorten(typeof value === "string" ? value : JSON.stringify(value), 50);
  };
  return `${names[field] ?? field}: ${text(from)} → ${text(to)}`;
}

const names: Partial<Record<keyof ProductInput, string>> = {
  priceMinor: "price",
  originalPriceMinor: "former price",
  storeName: "store",
  categoryPaths: "categories",
  groupId: "group",
};

function price(minor: number, currency: string): string {
  return `${fromMinor(minor, currency).toFixed(currencyExponent(currency))} ${currency}`;
}

function shorten(text: string, length = maxLength): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= length ? line : `${line.slice(0, length - 1).toWellFormed()}…`;
}
