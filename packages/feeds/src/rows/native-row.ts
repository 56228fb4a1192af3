import { type AttributePair, attributeName } from "@product-search/core/domain/attributes.ts";
import {
  attributeFields,
  isRowMember,
  memberOf,
  type ProductAttributes,
  type RowField,
  rowFields,
  ruleOf,
} from "@product-search/core/domain/fields.ts";
import { productId } from "@product-search/core/domain/identity.ts";
import type {
  FeedChange,
  FieldChanges,
  PricePoint,
  ProductInput,
} from "@product-search/core/domain/product.ts";
import { toCategories } from "@product-search/core/domain/product.ts";
import type { FeedKind, NativeRecord } from "../formats/feed-row.ts";
import { googleNamesOf, merchantName, toDetail, toOption } from "../formats/merchant-names.ts";
import { isMerchantField, kindOfMerchantRow, readGivenFields, readMerchantRow } from "./merchant-row.ts";
import { readPlainFields } from "./plain-fields.ts";
import {
  checkAttributes,
  checkAvailability,
  checkCategoryPath,
  checkDeleted,
  checkDescription,
  checkGtin,
  checkIgnored,
  checkImages,
  checkKey,
  checkLabel,
  checkName,
  checkPage,
  checkPrice,
  gtinNames,
  inventoryChanges,
  type ReadRow,
  type RowContext,
  RowError,
  type RowNotes,
  readRow,
  shorten,
  toPatch,
  wholeProduct,
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
 * A native row: the fields of the interface's Product and marketplace product, as in responses. What the service computes
 * (`slug`, `serviceScore`, `discountVal`, `position`) is skipped.
 */
export function readNativeRow(record: NativeRecord, kind: FeedKind, context: RowContext): ReadRow {
  const google = toGoogleNames(record);
  const isKnown = google === undefined ? isRowMember : isGoogleField;
  const ignored = context.isTable ? [] : Object.keys(record).filter((name) => !isKnown(name));
  const writtenKey = () => keyOfNativeRow(record, context);
  const read = readRow(writtenKey, (notes) => {
    const { source } = context;
    const key = keyOf(record, context);
    checkIgnored(ignored);
    if (checkDeleted(record.deleted, context)) return { source, key, removed: true };
    checkCurrency(record, context);
    if (isUpdate(record)) return toPatch(source, key, updateOf(record, google, context, notes));
    if (google !== undefined) return changeOfGoogle(record, google, key, kind, context, notes);
    return kind === "products"
      ? toProduct(record, key, context, notes)
      : toPatch(source, key, inventoryOf(record, context));
  });
  return ignored.length === 0 ? read : { ...read, ignored };
}

function isUpdate({ update = false }: NativeRecord): boolean {
  if (typeof update === "boolean") return update;
  throw new RowError("update", "is not true or false");
}

function checkCurrency(record: NativeRecord, { currency, isTable }: RowContext): void {
  if (isTable) return;
  for (const field of ["currency", "priceCurrency", "price_currency"]) {
    const value = record[field] ?? undefined;
    if (value === undefined) continue;
    if (typeof value !== "string") throw new RowError(field, "is not a string");
    if (value.trim().toUpperCase() !== currency)
      throw new RowError(field, `"${shorten(value)}" is not ${currency}, the CURRENCY of this deployment`);
  }
}

/** Whether the row has a field that only a whole product has. */
export function kindOfNativeRow(record: NativeRecord): FeedKind {
  const { name, url } = record;
  if (name !== undefined || url !== undefined) return "products";
  const google = toGoogleNames(record);
  return google === undefined ? "inventory" : kindOfMerchantRow(google);
}

/** A row with Google's names is read like one of a table; it may also have fields that only the native format has. */
function changeOfGoogle(
  record: NativeRecord,
  google: Map<string, string[]>,
  key: string,
  kind: FeedKind,
  context: RowContext,
  notes: RowNotes,
): FeedChange {
  google.set("id", [key]);
  const read = readMerchantRow(google, kind, context);
  if ("fault" in read) throw new RowError(read.fault.field ?? "products", read.fault.reason);
  for (const name of read.cutAttributes ?? []) notes.cutAttributes.push(name);
  for (const image of read.unfetchableImages ?? []) notes.unfetchableImages.push(image);
  const product = read.change;
  if ("patch" in product || "removed" in product) return product;
  return {
    ...product,
    ...checkAttributes(pairsOf(record.attributes), notes, product.attributes),
    ...ownFields(record),
    ...formerPrices(record, context.currency, context.nowMs),
  };
}

/** Fields that Google's format does not have. */
function ownFields(record: NativeRecord): Partial<ProductInput> {
  const names: readonly RowField[] = ["isVerified", "isBoosted", "custom"];
  return readPlainFields((field) =>
    names.includes(field) ? { name: memberOf(field), value: record[memberOf(field)] } : undefined,
  );
}

function toProduct(record: NativeRecord, key: string, context: RowContext, notes: RowNotes): ProductInput {
  for (const field of ["name", "url", "price"])
    if ((record[field] ?? undefined) === undefined) throw new RowError(field, "is missing");
  return {
    ...wholeProduct(key, context, givenFields(record, context, notes)),
    ...formerPrices(record, context.currency, context.nowMs),
  };
}

/** What the row says; it need not be a whole product. */
function givenFields(record: NativeRecord, context: RowContext, notes: RowNotes): Partial<ProductInput> {
  const name = text(record, "name");
  const url = text(record, "url");
  const description = text(record, "description");
  const availability = text(record, "availability");
  const storeName = checkLabel(text(record, "storeName"));
  return {
    ...(name !== undefined && { name: checkName("name", name) }),
    ...(url !== undefined && { url: checkPage("url", url) }),
    ...(description !== undefined && { description: checkDescription(description) }),
    ...(isGiven(record.images) && { images: checkImages("images", images(record), context, notes) }),
    ...(availability !== undefined && { availability: checkAvailability("availability", availability) }),
    ...(storeName !== undefined && { storeName }),
    ...pricesOf(record, context),
    ...categoriesOf(record, context),
    ...checkAttributes(pairsOf(record.attributes), notes),
    ...(hasGtin(record) && checkGtin(gtinNames.map((name) => gtinText(record[name])))),
    ...readPlainFields((field) => ({ name: memberOf(field), value: record[memberOf(field)] })),
  };
}

function inventoryOf(record: NativeRecord, context: RowContext): FieldChanges {
  const given = pricesOf(record, context);
  if (given.priceMinor === undefined && given.originalPriceMinor !== undefined)
    throw new RowError("price", "is missing");
  const availability = text(record, "availability");
  return inventoryChanges({
    ...given,
    ...(availability !== undefined && { availability: checkAvailability("availability", availability) }),
  });
}

const needed: readonly RowField[] = ["name", "priceMinor", "url"];

/** A row with `update: true`: what it has replaces, `null` removes, and all else stays. */
function updateOf(
  record: NativeRecord,
  google: Map<string, string[]> | undefined,
  context: RowContext,
  notes: RowNotes,
): FieldChanges {
  const removed = removedFields(record);
  for (const field of removed)
    if (needed.includes(field))
      throw new RowError(memberOf(field), "is null; every product has one, so it cannot be removed");
  const given =
    google === undefined
      ? givenFields(record, context, notes)
      : {
          ...readGivenFields(google, context, notes),
          ...ownFields(record),
          ...checkAttributes(pairsOf(record.attributes), notes),
        };
  const { attributes: _, custom: __, ...set } = given;
  const changes =
    "categoryPaths" in set || !("category" in set) ? removed : [...removed, "categoryPaths" as const];
  const attributes = attributeChanges(record, given.attributes);
  const custom = customChanges(record.custom);
  return {
    ...(Object.keys(set).length > 0 && { set }),
    ...(changes.length > 0 && { removed: changes }),
    ...(attributes !== undefined && { attributes }),
    ...(custom !== undefined && { custom }),
  };
}

function pricesOf(
  record: NativeRecord,
  { currency }: RowContext,
): { priceMinor?: number; originalPriceMinor?: number } {
  const price = amount(record, "price");
  const original = amount(record, "originalPrice");
  return {
    ...(price !== undefined && { priceMinor: checkPrice("price", price, currency) }),
    // Marketplace A has both in its responses, also without a reduction.
    ...(original !== undefined &&
      original !== price && { originalPriceMinor: checkPrice("originalPrice", original, currency) }),
  };
}

/** The names that a row may give its product by. */
export const keyNames = ["_id", "id", "key", "itemCode", "item_id"] as const;

/**
 * An `_id` that a stored product has names that product. Any other one is the key, as all other names are: the key of a
 * marketplace's product may follow the marketplace's name, as it does in `_id`.
 */
function keyOf(record: NativeRecord, { source, keyOfId }: RowContext): string {
  const keys = new Map<string, string>();
  for (const name of keyNames) {
    const value = record[name] ?? undefined;
    if (value === undefined) continue;
    if (typeof value !== "string" && !Number.isSafeInteger(value))
      throw new RowError(name, "is not a string");
    const text = checkKey(name, String(value));
    const isPrefixed = name !== "key" && source !== "catalog" && text.startsWith(`${source}_`);
    const plain = isPrefixed ? checkKey(name, text.slice(source.length + 1)) : text;
    keys.set(name, name === "_id" ? (keyOfId?.(text) ?? plain) : plain);
  }
  const { _id, ...given } = Object.fromEntries(keys);
  // Of a product that was deleted, a response still has the `_id`, which is made from the key.
  const isOwnId = (key: string) => productId(source, key) === _id;
  if (_id !== undefined && !Object.values(given).some(isOwnId)) given._id = _id;
  const [[name = "", key = ""] = [], ...others] = Object.entries(given);
  const other = others.find(([, one]) => one !== key);
  if (other !== undefined)
    throw new RowError(
      other[0],
      `"${shorten(other[1])}" and ${name} "${shorten(key)}" name different products`,
    );
  if (key === "") throw new RowError("_id", "is missing");
  return key;
}

/** The key of a row that may be faulty, if it can be read. */
export function keyOfNativeRow(record: NativeRecord, context: RowContext): string | undefined {
  try {
    return keyOf(record, context);
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    const written = keyNames.map((name) => record[name]).find((value) => typeof value === "string");
    return typeof written === "string" ? written : undefined;
  }
}

function text(record: NativeRecord, field: string): string | undefined {
  const value = record[field] ?? undefined;
  if (value !== undefined && typeof value !== "string") throw new RowError(field, "is not a string");
  return value;
}

function hasGtin(record: NativeRecord): boolean {
  return gtinNames.some((name) => record[name] !== undefined);
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

/** The fields that a row removes with `null`. */
function removedFields(record: NativeRecord): RowField[] {
  const names = Object.keys(record).filter((name) => record[name] === null);
  return [...new Set(names.flatMap((name) => fieldOfName(name) ?? []).flatMap(withParts))];
}

const withParts = (field: RowField): RowField[] =>
  field === "category" || field === "categoryPaths" ? ["category", "categoryPaths"] : [field];

function fieldOfName(name: string): RowField | undefined {
  return rowFields.find(
    (field) => name === field || name === memberOf(field) || ruleOf(field).google?.[0] === googleName(name),
  );
}

/** By name; an attribute without values is removed. */
function attributeChanges(
  record: NativeRecord,
  given: ProductAttributes = {},
): Record<string, string[] | null> | undefined {
  const { attributes } = record;
  const names = [
    ...Object.keys(Object(attributes)),
    ...attributeFields.filter((name) => record[name] === null),
  ].map(attributeName);
  const changes = names.map((name) => [name, null] as const);
  const all = Object.fromEntries([...changes, ...Object.entries(given)]);
  return Object.keys(all).length === 0 ? undefined : all;
}

function customChanges(custom: unknown): Record<string, unknown> | undefined {
  return custom === undefined || custom === null ? undefined : { ...Object(custom) };
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

/** Whether a row with Google's names may have this field. */
function isGoogleField(written: string): boolean {
  const name = googleName(written);
  return isRowMember(written) || nativeNames.has(name) || isMerchantField(name);
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
