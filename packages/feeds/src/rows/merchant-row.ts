import type { AttributePair } from "@product-search/core/domain/attributes.ts";
import { attributeFields, fieldNames, ruleOf } from "@product-search/core/domain/fields.ts";
import type { FieldChanges, ProductInput } from "@product-search/core/domain/product.ts";
import { toCategories } from "@product-search/core/domain/product.ts";
import type { FeedKind, MerchantRecord } from "../formats/feed-row.ts";
import { googleNameOf } from "../formats/merchant-names.ts";
import { readPlainFields } from "./plain-fields.ts";
import {
  checkAttributes,
  checkAvailability,
  checkCategoryPath,
  checkDescription,
  checkFlag,
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
  pageAddress,
  type ReadRow,
  type RowContext,
  RowError,
  type RowNotes,
  readRow,
  toPatch,
  wholeProduct,
} from "./row-checks.ts";

/** A row of a Google Merchant feed: https://support.google.com/merchants/answer/7052112 */
export function readMerchantRow(record: MerchantRecord, kind: FeedKind, context: RowContext): ReadRow {
  const ignored = [...record.keys()].filter((name) => !isMerchantField(name));
  const written = record.get("id")?.[0];
  const read = readRow(
    () => written,
    (notes) => {
      const { source, currency } = context;
      const key = checkKey("id", written ?? "");
      checkIgnored(ignored);
      if (isRemoval(record)) return { source, key, removed: true };
      for (const field of ["currency", "price_currency"]) {
        const given = first(record, field);
        if (given !== undefined && given.trim().toUpperCase() !== currency)
          throw new RowError(field, `"${given}" is not ${currency}, the CURRENCY of this deployment`);
      }
      return kind === "products"
        ? toProduct(record, key, context, notes)
        : toPatch(source, key, inventoryOf(record, context));
    },
  );
  return ignored.length === 0 ? read : { ...read, ignored };
}

/** Whether the row has a field that only a whole product has. */
export function kindOfMerchantRow(record: MerchantRecord): FeedKind {
  return first(record, "title", "name", "link") === undefined ? "inventory" : "products";
}

function isRemoval(record: MerchantRecord): boolean {
  return checkFlag("deleted", first(record, "deleted"));
}

function toProduct(record: MerchantRecord, key: string, context: RowContext, notes: RowNotes): ProductInput {
  if (context.noAddress === undefined) required(record, "link");
  required(record, "price");
  const { salePriceMinor, ...given } = readGivenFields(record, context, notes);
  const name = given.name ?? checkName("title", "");
  return wholeProduct(key, context, { ...given, name, url: given.url ?? pageAddress(context, key, name) });
}

/** What the row says; it need not be a whole product. */
export function readGivenFields(
  record: MerchantRecord,
  context: RowContext,
  notes: RowNotes,
): Partial<ProductInput> & { salePriceMinor?: number } {
  const name = first(record, "title", "name");
  const url = first(record, "link");
  const description = first(record, "description");
  const availability = first(record, "availability");
  const storeName = checkLabel(first(record, "store_name", "seller_name"));
  return {
    ...(url !== undefined && { url: checkPage("link", url) }),
    ...(name !== undefined && { name: checkName("title", name) }),
    ...(storeName !== undefined && { storeName }),
    ...(description !== undefined && { description: checkDescription(description) }),
    ...(availability !== undefined && { availability: checkAvailability("availability", availability) }),
    ...((record.has("image_link") || record.has("additional_image_link")) && {
      images: imagesOf(record, context, notes),
    }),
    ...(first(record, "price") === undefined ? saleOf(record, context) : pricesOf(record, context)),
    ...categoriesOf(record, context),
    ...checkAttributes(attributePairsOf(record), notes),
    ...checkGtin(gtinNames.map((name) => first(record, name))),
    ...readPlainFields((field) => {
      const names = ruleOf(field).google ?? [];
      const found = names.find((name) => first(record, name) !== undefined);
      return found === undefined ? undefined : { name: found, value: first(record, found) };
    }),
  };
}

/** Names that hold several fields, or only say how others are read. */
const furtherNames = [
  "deleted",
  "currency",
  "price_currency",
  "sale_price_start_date",
  "sale_price_end_date",
  "variant_dict",
  // What OpenAI's channels may do with a product says nothing about the product.
  "is_eligible_search",
  "is_eligible_checkout",
];

const merchantNames = new Set([
  ...fieldNames.flatMap((field) => ruleOf(field).google ?? []),
  ...furtherNames,
  ...[1, 2, 3].flatMap((number) => [`custom_variant${number}_category`, `custom_variant${number}_option`]),
]);

export const isMerchantField = (name: string): boolean => merchantNames.has(googleNameOf(name));

function inventoryOf(record: MerchantRecord, context: RowContext): FieldChanges {
  const availability = first(record, "availability");
  return inventoryChanges({
    ...(first(record, "price") === undefined ? saleOf(record, context) : pricesOf(record, context)),
    ...(availability !== undefined && { availability: checkAvailability("availability", availability) }),
  });
}

function first(record: MerchantRecord, ...names: string[]): string | undefined {
  for (const name of names) {
    const [value] = record.get(name) ?? [];
    if (value !== undefined) return value;
  }
  return undefined;
}

function required(record: MerchantRecord, field: string): string {
  const value = first(record, field);
  if (value === undefined) throw new RowError(field, "is missing");
  return value;
}

/** `price` is the regular price. While a `sale_price` is in effect, it is the price before the reduction. */
function pricesOf(record: MerchantRecord, context: RowContext) {
  const priceMinor = checkPrice("price", required(record, "price"), context.currency);
  const { salePriceMinor } = saleOf(record, context);
  if (salePriceMinor === undefined) return { priceMinor };
  return { priceMinor: salePriceMinor, originalPriceMinor: priceMinor };
}

function saleOf(record: MerchantRecord, { currency, nowMs }: RowContext): { salePriceMinor?: number } {
  const sale = first(record, "sale_price");
  if (sale === undefined || !isInEffect(saleRange(record), nowMs)) return {};
  return { salePriceMinor: checkPrice("sale_price", sale, currency) };
}

/** Google has one field, OpenAI may have two: https://developers.openai.com/commerce/specs/feed. */
function saleRange(record: MerchantRecord): string | undefined {
  const from = first(record, "sale_price_start_date");
  const to = first(record, "sale_price_end_date");
  if (from === undefined && to === undefined) return first(record, "sale_price_effective_date");
  return `${from ?? "1970-01-01"}/${to ?? "9999-12-31"}`;
}

/** Two times in ISO 8601, separated by a slash. A sale that ends on a day lasts to the end of that day. */
function isInEffect(range: string | undefined, nowMs: number): boolean {
  if (range === undefined) return true;
  const [start = "", end = ""] = range.split("/").map((moment) => withColon(moment.trim()));
  const from = Date.parse(start);
  const to = Date.parse(/^\d{4}-\d\d-\d\d$/.test(end) ? `${end}T23:59:59.999Z` : end);
  if (Number.isNaN(from) || Number.isNaN(to)) {
    throw new RowError("sale_price_effective_date", "is not a pair of ISO 8601 dates separated by a slash");
  }
  return from <= nowMs && nowMs <= to;
}

/** Google writes time zones as `+0100`; JavaScript needs `+01:00`. */
function withColon(moment: string): string {
  return moment.replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
}

/**
 * The shop's own categories, the main one first. Without any, the one of Google's taxonomy: a path, or a number, which stays a
 * number because the taxonomy's names are not known here.
 */
function categoriesOf(record: MerchantRecord, context: RowContext) {
  const own = record.get("product_type") ?? [];
  if (own.length > 0) return toCategories(own.map((path) => checkCategoryPath(path, context)));
  const [googles = ""] = record.get("google_product_category") ?? [];
  return toCategories([
    checkCategoryPath(googles.replace(/^\s*\d+ - /, ""), { ...context, categorySeparator: ">" }),
  ]);
}

/** Google has several colours and materials of one product in one value, separated by slashes. */
export const slashedFields: readonly string[] = ["color", "material"];

/** What a variant is chosen by comes last: it may repeat a column, which has all values of its name. */
function attributePairsOf(record: MerchantRecord): AttributePair[] {
  const pairs = [...columnPairs(record)];
  const names = new Set(pairs.map(([name]) => sameName(name)));
  return [...pairs, ...[...variantPairs(record)].filter(([name]) => !names.has(sameName(name)))];
}

function sameName(name: string): string {
  return name.trim().toLowerCase();
}

function* columnPairs(record: MerchantRecord): Generator<AttributePair> {
  for (const field of attributeFields) {
    for (const value of record.get(field) ?? []) {
      const parts = slashedFields.includes(field) ? value.split("/") : [value];
      for (const part of parts) yield [field, part];
    }
  }
  for (const value of record.get("product_detail") ?? []) {
    // Tables have several details in one value: a comma begins a new one where two colons follow.
    for (const detail of value.split(/,(?=[^:,]*:[^:,]*:)/)) {
      const pair = detailPair(detail);
      if (pair !== undefined) yield pair;
    }
  }
}

/** OpenAI's `custom_variant1_category` and `custom_variant1_option`, and so on. */
const customVariants = [1, 2, 3].map((number) => `custom_variant${number}` as const);

/** Google's `variant_option`, `name:value` and several of them after commas, and OpenAI's fields. */
function* variantPairs(record: MerchantRecord): Generator<AttributePair> {
  for (const value of record.get("variant_option") ?? []) {
    for (const option of value.split(/,(?=[^:,]*:)/)) {
      const [name = "", ...rest] = option.split(":");
      if (rest.length > 0) yield [name, rest.join(":")];
    }
  }
  for (const text of record.get("variant_dict") ?? []) yield* objectPairs(text);
  for (const custom of customVariants) {
    const name = first(record, `${custom}_category`);
    for (const value of record.get(`${custom}_option`) ?? []) if (name !== undefined) yield [name, value];
  }
}

/** The texts of a JSON object. What is no such object is no reason to refuse the product. */
function* objectPairs(text: string): Generator<AttributePair> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [name, values] of Object.entries(value))
    for (const one of [values].flat())
      if (["string", "number", "boolean"].includes(typeof one)) yield [name, String(one)];
}

/** `section:name:value`; the section may be empty or left out. */
function detailPair(detail: string): AttributePair | undefined {
  const [first, second, ...others] = detail.split(":");
  if (first === undefined || second === undefined) return undefined;
  return others.length === 0 ? [first, second] : [second, others.join(":")];
}

/** Tables write several additional images into one value, separated by commas. */
function imagesOf(record: MerchantRecord, context: RowContext, notes: RowNotes): string[] {
  const further = (record.get("additional_image_link") ?? []).flatMap((value) =>
    value.split(/,(?=\s*https?:\/\/)/),
  );
  const images = [...(record.get("image_link") ?? []).slice(0, 1), ...further];
  return checkImages("image_link", images, context, notes);
}
