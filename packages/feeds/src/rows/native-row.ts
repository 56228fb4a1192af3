import type { PricePoint, ProductInput, ProductPatch } from "@product-search/core/domain/product.ts";
import type { FeedKind, NativeRecord } from "../formats/feed-row.ts";
import { merchantName } from "../formats/merchant-names.ts";
import { kindOfMerchantRow, readMerchantRow } from "./merchant-row.ts";
import {
  checkAddress,
  checkAvailability,
  checkDescription,
  checkGtin,
  checkImages,
  checkKey,
  checkLabel,
  checkLanguage,
  checkName,
  checkPatch,
  checkPrice,
  checkRating,
  checkReviewCount,
  gtinNames,
  type ReadRow,
  type RowContext,
  RowError,
  readRow,
  storeOf,
} from "./row-checks.ts";

/** Names that only Google's fields have: the native format has other words for them. */
const googleOnly = new Set([
  "title",
  "link",
  "image_link",
  "additional_image_link",
  "sale_price",
  "product_type",
  "google_product_category",
]);

/** Native names, in the spelling of `googleName`, for fields that have another name in Google's format. */
const nativeNames = new Map([
  ["_id", "id"],
  ["item_code", "id"],
  ["name", "title"],
  ["url", "link"],
  ["images", "image_link"],
  ["category", "product_type"],
]);

/** Google's APIs write lists in the plural: `additionalImageLinks`, `productTypes`. */
const plurals = new Map([
  ["additional_image_links", "additional_image_link"],
  ["product_types", "product_type"],
]);

const maxFormerPrices = 1000;

/**
 * A native row: the fields of the interface's Product and marketplace product, as in responses. Derived fields (`slug`,
 * `serviceScore`, `discountVal`, `position`) are ignored.
 */
export function readNativeRow(record: NativeRecord, kind: FeedKind, context: RowContext): ReadRow {
  const google = toGoogleNames(record);
  if (google !== undefined) return readGoogleRow(record, google, kind, context);
  const written = keyOfNativeRow(record, context);
  return readRow(written, () => {
    const { source } = context;
    const key = checkKey("_id", written ?? "");
    if (flag(record, "deleted").deleted === true) return { source, key, removed: true };
    return kind === "products" ? toProduct(record, key, context) : toPatch(record, key, context);
  });
}

/** Whether the row has a field that only a whole product has. */
export function kindOfNativeRow(record: NativeRecord): FeedKind {
  const { name, url } = record;
  if (name !== undefined || url !== undefined) return "products";
  const google = toGoogleNames(record);
  return google === undefined ? "inventory" : kindOfMerchantRow(google);
}

/** A row with Google's names is read like one of a table; it may also have fields that only the native format has. */
function readGoogleRow(
  record: NativeRecord,
  google: Map<string, string[]>,
  kind: FeedKind,
  context: RowContext,
): ReadRow {
  const written = keyOfNativeRow(record, context);
  if (written !== undefined) google.set("id", [written]);
  const read = readMerchantRow(google, kind, context);
  if ("fault" in read || "patch" in read.change || "removed" in read.change) return read;
  const product = read.change;
  return readRow(written, () => ({
    ...product,
    ...flag(record, "isVerified"),
    ...flag(record, "isBoosted"),
    ...formerPrices(record, context.currency, context.nowMs),
  }));
}

function toProduct(record: NativeRecord, key: string, context: RowContext): ProductInput {
  const url = checkAddress("url", required(record, "url"));
  const brand = checkLabel(text(record, "brand"));
  const category = checkLabel(text(record, "category"));
  const prices = pricesOf(record, context);
  if (prices.priceMinor === undefined) throw new RowError("price", "is missing");
  return {
    source: context.source,
    key,
    name: checkName("name", required(record, "name")),
    storeName: storeOf(text(record, "storeName"), context, url),
    description: checkDescription(text(record, "description") ?? ""),
    url,
    images: checkImages("images", images(record)),
    availability: checkAvailability("availability", text(record, "availability")),
    priceMinor: prices.priceMinor,
    ...(prices.originalPriceMinor !== undefined && { originalPriceMinor: prices.originalPriceMinor }),
    ...(brand !== undefined && { brand }),
    ...(category !== undefined && { category }),
    ...(hasGtin(record) && checkGtin(gtinNames.map((name) => gtinText(record[name])))),
    ...checkLanguage(text(record, "language")),
    ...optional(record, "averageRating", checkRating),
    ...optional(record, "reviewCount", checkReviewCount),
    ...flag(record, "isVerified"),
    ...flag(record, "isBoosted"),
    ...formerPrices(record, context.currency, context.nowMs),
  };
}

function toPatch(record: NativeRecord, key: string, context: RowContext): ProductPatch {
  const { priceMinor, originalPriceMinor } = pricesOf(record, context);
  if (priceMinor === undefined && originalPriceMinor !== undefined) throw new RowError("price", "is missing");
  const availability = text(record, "availability");
  return checkPatch(context.source, key, {
    ...(priceMinor !== undefined && { priceMinor }),
    ...(originalPriceMinor !== undefined && { originalPriceMinor }),
    ...(availability !== undefined && { availability: checkAvailability("availability", availability) }),
  });
}

function pricesOf(
  record: NativeRecord,
  { currency }: RowContext,
): { priceMinor?: number; originalPriceMinor?: number } {
  const price = amount(record, "price");
  const original = amount(record, "originalPrice");
  return {
    ...(price !== undefined && { priceMinor: checkPrice("price", price, currency) }),
    ...(original !== undefined && { originalPriceMinor: checkPrice("originalPrice", original, currency) }),
  };
}

/** The key of a marketplace's product is its item code, which follows the marketplace's name in `_id`. */
export function keyOfNativeRow(record: NativeRecord, { source }: RowContext): string | undefined {
  const { _id, id = _id, itemCode = id } = record;
  if (typeof itemCode === "number" && Number.isSafeInteger(itemCode)) return String(itemCode);
  if (typeof itemCode !== "string") return undefined;
  return source !== "catalog" && itemCode.startsWith(`${source}_`)
    ? itemCode.slice(source.length + 1)
    : itemCode;
}

function text(record: NativeRecord, field: string): string | undefined {
  const value = record[field] ?? undefined;
  if (value !== undefined && typeof value !== "string") throw new RowError(field, "is not a string");
  return value;
}

function hasGtin(record: NativeRecord): boolean {
  return gtinNames.some((name) => record[name] !== undefined);
}

/** JSON also has it as a number, without its leading zeros. */
function gtinText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function required(record: NativeRecord, field: string): string {
  const value = text(record, field);
  if (value === undefined) throw new RowError(field, "is missing");
  return value;
}

function amount(record: NativeRecord, field: string): string | number | undefined {
  const value = record[field] ?? undefined;
  if (value !== undefined && typeof value !== "string" && typeof value !== "number") {
    throw new RowError(field, "is not a number or a string");
  }
  return value;
}

function images(record: NativeRecord): string[] {
  const value = record.images ?? [];
  if (!Array.isArray(value) || !value.every((image) => typeof image === "string")) {
    throw new RowError("images", "is not a list of URLs");
  }
  return value;
}

function optional<Field extends "averageRating" | "reviewCount">(
  record: NativeRecord,
  field: Field,
  check: (field: string, value: number) => number,
): { [Name in Field]?: number } {
  const value = record[field] ?? undefined;
  if (value === undefined) return {};
  if (typeof value !== "number") throw new RowError(field, "is not a number");
  const read: { [Name in Field]?: number } = {};
  read[field] = check(field, value);
  return read;
}

function flag<Field extends "isVerified" | "isBoosted" | "deleted">(
  record: NativeRecord,
  field: Field,
): { [Name in Field]?: boolean } {
  const value = record[field] ?? undefined;
  if (value === undefined) return {};
  if (typeof value !== "boolean") throw new RowError(field, "is not true or false");
  const read: { [Name in Field]?: boolean } = {};
  read[field] = value;
  return read;
}

function formerPrices(
  record: NativeRecord,
  currency: string,
  nowMs: number,
): { formerPrices?: PricePoint[] } {
  const value = record.priceHistory ?? undefined;
  if (value === undefined) return {};
  if (!Array.isArray(value)) throw new RowError("priceHistory", "is not a list");
  const points = value.slice(-maxFormerPrices).map((entry: unknown) => pricePoint(entry, currency, nowMs));
  if (points.some((point, index) => point.atMs <= (points[index - 1]?.atMs ?? 0))) {
    throw new RowError("priceHistory", "is not sorted by date");
  }
  return { formerPrices: points };
}

function pricePoint(entry: unknown, currency: string, nowMs: number): PricePoint {
  const { price, date }: { price?: unknown; date?: unknown } = Object(entry);
  const atMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  if ((typeof price !== "number" && typeof price !== "string") || !(atMs > 0 && atMs <= nowMs)) {
    throw new RowError("priceHistory", "needs a price and a past date in each entry");
  }
  return { priceMinor: checkPrice("priceHistory", price, currency), atMs };
}

/**
 * The fields of a JSON object by Google's names, if it uses them; else undefined. `image_link`, `g:image_link`, `Image Link` and
 * `imageLink` are the same. An object with `name` and `url` is native, whatever other fields it has: those are ignored there.
 */
function toGoogleNames(record: NativeRecord): Map<string, string[]> | undefined {
  if (isGiven(record.name) && isGiven(record.url)) return undefined;
  const named = Object.entries(record)
    .filter(([, value]) => isGiven(value))
    .map(([name, value]) => [googleName(name), value] as const);
  if (!named.some(([name]) => googleOnly.has(name))) return undefined;
  const fields = new Map<string, string[]>();
  const add = (name: string, values: readonly string[]) => {
    const former = fields.get(name);
    if (former === undefined) fields.set(name, [...values]);
    else former.push(...values);
  };
  // Google's own names first: of two values of one field, the first is used.
  for (const isNative of [false, true]) {
    for (const [name, value] of named) {
      if (nativeNames.has(name) !== isNative) continue;
      const texts = textsOf(value);
      if (texts.length > 0) add(nativeNames.get(name) ?? name, texts);
    }
  }
  splitImages(fields);
  takeOriginalPrice(fields);
  return fields;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function googleName(written: string): string {
  const name = merchantName(written.trim().replace(/([a-z])([A-Z])/g, "$1_$2"));
  return plurals.get(name) ?? name;
}

/** As a table would have them. A price may be an object with `value` and `currency`; other objects hold no text. */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => (Array.isArray(one) ? [] : textsOf(one)));
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  const { value: amount, currency }: { value?: unknown; currency?: unknown } = Object(value);
  const isAmount = typeof amount === "number" || typeof amount === "string";
  return isAmount && typeof currency === "string" ? [`${amount} ${currency}`] : [];
}

/** Google has one main image; here a list of them may be given. */
function splitImages(fields: Map<string, string[]>): void {
  const [first, ...others] = fields.get("image_link") ?? [];
  if (first === undefined || others.length === 0) return;
  fields.set("image_link", [first]);
  fields.set("additional_image_link", [...others, ...(fields.get("additional_image_link") ?? [])]);
}

/** The native price before a reduction is Google's `price` beside a `sale_price`. */
function takeOriginalPrice(fields: Map<string, string[]>): void {
  const original = fields.get("original_price");
  const price = fields.get("price");
  if (original === undefined || price === undefined || fields.has("sale_price")) return;
  fields.set("sale_price", price);
  fields.set("price", original);
}
