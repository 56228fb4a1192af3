import { categoryPathsOf } from "@product-search/core/domain/category-paths.ts";
import { currencyExponent, fromMinor } from "@product-search/core/domain/price/money.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import type {
  FeedPreview,
  FieldChange,
  PreviewRow,
} from "@product-search/features/catalog/import/preview-feed.ts";

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
