import type { PricePoint, ProductInput } from "../../../domain/product.ts";
import type { NativeRecord } from "./feed-row.ts";
import {
  checkAddress,
  checkAvailability,
  checkDescription,
  checkImages,
  checkKey,
  checkLabel,
  checkName,
  checkPrice,
  checkRating,
  checkReviewCount,
  type ReadProduct,
  type RowContext,
  RowError,
  readProduct,
  storeOf,
} from "./row-checks.ts";

const maxFormerPrices = 1000;

/**
 * A product in our own shape: the fields of the interface's Product and marketplace product, as our responses have them.
 * What we derive (`slug`, `serviceScore`, `discountVal`, `position`) is passed over.
 */
export function readNativeProduct(record: NativeRecord, context: RowContext): ReadProduct {
  return readProduct(keyOf(record, context), () => {
    const { currency, nowMs } = context;
    const url = checkAddress("url", required(record, "url"));
    const brand = checkLabel(text(record, "brand"));
    const category = checkLabel(text(record, "category"));
    const original = amount(record, "originalPrice");
    const price = amount(record, "price");
    if (price === undefined) throw new RowError("price", "is missing");
    return {
      source: context.source,
      key: checkKey("_id", keyOf(record, context) ?? ""),
      name: checkName("name", required(record, "name")),
      storeName: storeOf(text(record, "storeName"), context, url),
      description: checkDescription(text(record, "description") ?? ""),
      url,
      images: checkImages("images", images(record)),
      priceMinor: checkPrice("price", price, currency),
      availability: checkAvailability("availability", text(record, "availability")),
      ...(brand !== undefined && { brand }),
      ...(category !== undefined && { category }),
      ...(original !== undefined && { originalPriceMinor: checkPrice("originalPrice", original, currency) }),
      ...optional(record, "averageRating", checkRating),
      ...optional(record, "reviewCount", checkReviewCount),
      ...flag(record, "isVerified"),
      ...flag(record, "isBoosted"),
      ...formerPrices(record, currency, nowMs),
    } satisfies ProductInput;
  });
}

/** A marketplace's products are known by their item code, whose `_id` begins with the marketplace's name. */
function keyOf(record: NativeRecord, { source }: RowContext): string | undefined {
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

function flag<Field extends "isVerified" | "isBoosted">(
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
