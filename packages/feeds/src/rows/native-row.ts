import type { AttributePair } from "@product-search/core/domain/attributes.ts";
import { toCategories } from "@product-search/core/domain/category-paths.ts";
import type { PricePoint, ProductInput, ProductPatch } from "@product-search/core/domain/product.ts";
import type { FeedKind, NativeRecord } from "../formats/feed-row.ts";
import { googleNamesOf, merchantName, toDetail, toOption } from "../formats/merchant-names.ts";
import { kindOfMerchantRow, readMerchantRow } from "./merchant-row.ts";
import {
  checkAddress,
  checkAttributes,
  checkAvailability,
  checkCategoryPath,
  checkDeleted,
  checkDescription,
  checkGroupId,
  checkGtin,
  checkImages,
  checkKey,
  checkLabel,
  checkLanguage,
  checkMpn,
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
  shorten,
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
  "product_detail",
  "variant_option",
  "item_group_id",
  // OpenAI's name of the key.
  "item_id",
]);

/** Native names, in the spelling of `googleName`, for fields that have another name in Google's format. */
export const nativeNames = new Map([
  ["_id", "id"],
  ["item_code", "id"],
  ["name", "title"],
  ["url", "link"],
  ["images", "image_link"],
  ["category", "product_type"],
  ["group_id", "item_group_id"],
]);

/** Google's APIs write lists in the plural: `additionalImageLinks`, `productTypes`. */
const plurals = new Map([
  ["additional_image_links", "additional_image_link"],
  ["product_types", "product_type"],
  ["product_details", "product_detail"],
  ["variant_options", "variant_option"],
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
  return readRow(written, (noteCut) => {
    const { source } = context;
    const key = checkKey("_id", written ?? "");
    const { deleted } = record;
    const isRemoved =
      typeof deleted === "string" ? checkDeleted("deleted", deleted) : flag(record, "deleted").deleted;
    if (isRemoved === true) return { source, key, removed: true };
    return kind === "products" ? toProduct(record, key, context, noteCut) : toPatch(record, key, context);
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
  return readRow(written, (noteCut) => ({
    ...product,
    ...checkAttributes(
      pairsOf(record.attributes),
      (cut) => noteCut(cut + (read.cutAttributes ?? 0)),
      product.attributes,
    ),
    ...flag(record, "isVerified"),
    ...flag(record, "isBoosted"),
    ...formerPrices(record, context.currency, context.nowMs),
  }));
}

function toProduct(
  record: NativeRecord,
  key: string,
  context: RowContext,
  noteCut: (attributes: number) => void,
): ProductInput {
  const url = checkAddress("url", required(record, "url"));
  const brand = checkLabel(text(record, "brand"));
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
    ...categoriesOf(record, context),
    ...checkGroupId("groupId", codeText(record, "groupId")),
    ...checkAttributes(pairsOf(record.attributes), noteCut),
    ...(hasGtin(record) && checkGtin(gtinNames.map((name) => gtinText(record[name])))),
    ...checkMpn(codeText(record, "mpn")),
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
  const { item_id: openAiId, _id = openAiId, id = _id, itemCode = id } = record;
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

/** A code that JSON may also have as a number. */
function codeText(record: NativeRecord, field: string): string | undefined {
  const value = record[field];
  return typeof value === "number" ? String(value) : text(record, field);
}

/**
 * `category` is a path such as "Home > Sofas" or a list of them. Responses have `categoryPath`, the levels of the main one, whose
 * last name is their `category`; an export has `categoryPaths`, the levels of all.
 */
function categoriesOf(record: NativeRecord, context: RowContext) {
  const { categoryPaths = undefined } = record;
  if (categoryPaths !== undefined && categoryPaths !== null) {
    if (!Array.isArray(categoryPaths) || !categoryPaths.every(isTexts))
      throw new RowError("categoryPaths", "is not a list of lists of names");
    return toCategories(categoryPaths.map(checkLevels));
  }
  const { categoryPath: levels = null, category = null } = record;
  if (levels !== null && !isTexts(levels)) throw new RowError("categoryPath", "is not a list of names");
  const paths = typeof category === "string" ? [category] : (category ?? []);
  if (!isTexts(paths)) throw new RowError("category", "is not a string or a list of strings");
  const others = levels !== null && typeof category === "string" ? [] : paths;
  return toCategories([
    ...(levels === null ? [] : [checkLevels(levels)]),
    ...others.map((path) => checkCategoryPath(path, context)),
  ]);
}

function checkLevels(levels: readonly string[]): string[] {
  return levels.flatMap((name) => checkLabel(name) ?? []);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Of `{name: value}`, where a value may be a list. */
function* pairsOf(attributes: unknown): Generator<AttributePair> {
  if (attributes === undefined || attributes === null) return;
  if (typeof attributes !== "object" || Array.isArray(attributes))
    throw new RowError("attributes", "is not an object of names and values");
  for (const [name, value] of Object.entries(attributes)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === null || one === undefined) continue;
      if (typeof one !== "string" && typeof one !== "number" && typeof one !== "boolean")
        throw new RowError(
          "attributes",
          `"${shorten(name)}" is not a string, a number, true or false, or a list of these`,
        );
      yield [name, String(one)];
    }
  }
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
  const names = googleNamesOf(named.map(([name]) => name));
  const fields = new Map<string, string[]>();
  const add = (name: string, values: readonly string[]) => {
    const former = fields.get(name);
    if (former === undefined) fields.set(name, [...values]);
    else former.push(...values);
  };
  // Google's own names first: of two values of one field, the first is used.
  for (const isNative of [false, true]) {
    for (const [at, [written, value]] of named.entries()) {
      const name = names[at] ?? written;
      if (nativeNames.has(name) !== isNative) continue;
      const texts = name === "variant_dict" ? objectText(value) : textsOf(value);
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

/**
 * As a table would have them. A price may be an object with `value` and `currency`, a detail or the option of a variant one with
 * names as in Google's APIs; other objects hold no text.
 */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => (Array.isArray(one) ? [] : textsOf(one)));
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  const detail = detailText(Object(value));
  if (detail !== undefined) return [detail];
  const { value: amount, currency }: { value?: unknown; currency?: unknown } = Object(value);
  const isAmount = typeof amount === "number" || typeof amount === "string";
  return isAmount && typeof currency === "string" ? [`${amount} ${currency}`] : [];
}

/** A table has the object as its JSON text. What is nested deeper holds no text. */
function objectText(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return textsOf(value);
  const values = Object.entries(value).map(([name, one]) => [name, textsOf(one)]);
  return [JSON.stringify(Object.fromEntries(values))];
}

function detailText(value: Record<string, unknown>): string | undefined {
  const { name, value: option } = value;
  if (typeof name === "string" && typeof option === "string") return toOption(name, option);
  const { attributeName = value.attribute_name, attributeValue = value.attribute_value } = value;
  if (typeof attributeName !== "string" || typeof attributeValue !== "string") return undefined;
  return toDetail("", attributeName, attributeValue);
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
