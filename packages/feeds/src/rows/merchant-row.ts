import type { ProductInput, ProductPatch } from "@product-search/core/domain/product.ts";
import type { FeedKind, MerchantRecord } from "../formats/feed-row.ts";
import {
  checkAddress,
  checkAvailability,
  checkDeleted,
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

/** A row of a Google Merchant feed: https://support.google.com/merchants/answer/7052112 */
export function readMerchantRow(record: MerchantRecord, kind: FeedKind, context: RowContext): ReadRow {
  const written = record.get("id")?.[0];
  return readRow(written, () => {
    const { source } = context;
    const key = checkKey("id", written ?? "");
    if (isRemoval(record)) return { source, key, removed: true };
    return kind === "products" ? toProduct(record, key, context) : toPatch(record, key, context);
  });
}

/** Whether the row has a field that only a whole product has. */
export function kindOfMerchantRow(record: MerchantRecord): FeedKind {
  return first(record, "title", "name", "link") === undefined ? "inventory" : "products";
}

function isRemoval(record: MerchantRecord): boolean {
  return checkDeleted("deleted", first(record, "deleted"));
}

function toProduct(record: MerchantRecord, key: string, context: RowContext): ProductInput {
  const url = checkAddress("link", required(record, "link"));
  const brand = checkLabel(first(record, "brand"));
  const category = categoryOf(record);
  return {
    source: context.source,
    key,
    name: checkName("title", first(record, "title", "name") ?? ""),
    storeName: storeOf(first(record, "store_name", "seller_name"), context, url),
    description: checkDescription(first(record, "description") ?? ""),
    url,
    images: imagesOf(record),
    availability: checkAvailability("availability", first(record, "availability")),
    ...pricesOf(record, context),
    ...(brand !== undefined && { brand }),
    ...(category !== undefined && { category }),
    ...checkGtin(gtinNames.map((name) => first(record, name))),
    ...checkLanguage(first(record, "language", "content_language")),
    ...ratingOf(record),
  };
}

function toPatch(record: MerchantRecord, key: string, context: RowContext): ProductPatch {
  const availability = first(record, "availability");
  return checkPatch(context.source, key, {
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
  if (sale === undefined || !isInEffect(first(record, "sale_price_effective_date"), nowMs)) return {};
  return { salePriceMinor: checkPrice("sale_price", sale, currency) };
}

/** Two times in ISO 8601, separated by a slash. */
function isInEffect(range: string | undefined, nowMs: number): boolean {
  if (range === undefined) return true;
  const [from = Number.NaN, to = Number.NaN] = range
    .split("/")
    .map((moment) => Date.parse(withColon(moment.trim())));
  if (Number.isNaN(from) || Number.isNaN(to)) {
    throw new RowError("sale_price_effective_date", "is not a pair of ISO 8601 dates separated by a slash");
  }
  return from <= nowMs && nowMs <= to;
}

/** Google writes time zones as `+0100`; JavaScript needs `+01:00`. */
function withColon(moment: string): string {
  return moment.replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
}

/** The last name in the shop's own category path, else in Google's if that is written in words. */
function categoryOf(record: MerchantRecord): string | undefined {
  const path = first(record, "product_type") ?? first(record, "google_product_category");
  const innermost = path?.split(">").findLast((part) => part.trim() !== "");
  return innermost === undefined || /^\s*\d+\s*$/.test(innermost) ? undefined : checkLabel(innermost);
}

/** Tables write several additional images into one value, separated by commas. */
function imagesOf(record: MerchantRecord): string[] {
  const further = (record.get("additional_image_link") ?? []).flatMap((value) =>
    value.split(/,(?=\s*https?:\/\/)/),
  );
  return checkImages("image_link", [...(record.get("image_link") ?? []).slice(0, 1), ...further]);
}

function ratingOf(record: MerchantRecord) {
  const rating = first(record, "average_rating");
  const reviews = first(record, "review_count", "rating_count");
  return {
    ...(rating !== undefined && {
      averageRating: checkRating("average_rating", Number(rating.replace(",", "."))),
    }),
    ...(reviews !== undefined && { reviewCount: checkReviewCount("review_count", Number(reviews)) }),
  };
}
