import { type Availability, availabilities } from "@product-search/core/domain/availability.ts";
import {
  columnOf,
  type FieldKind,
  type FieldValues,
  type KindOf,
  type OptionalField,
  optionalFields,
  productFields,
  type ValueOf,
} from "@product-search/core/domain/fields.ts";
import type { NewProduct } from "@product-search/core/domain/next-product.ts";
import {
  type ProductAttributes,
  type ProductSource,
  productSources,
  type StoredProduct,
} from "@product-search/core/domain/product.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { NewDeadLetter } from "../database/new-dead-letter.ts";
import { type ProductRow, writtenFields } from "../database/product-columns.ts";

/** A value that a statement writes. */
export type Cell = string | number | null;

/**
 * Reads what a column holds, and throws if it is something else: SQLite does not check types, so a damaged row may have any
 * value in any column.
 */
const readers: { [Kind in FieldKind]: (value: unknown) => FieldValues[Kind] } = {
  source: readSource,
  availability: readAvailability,
  text: readText,
  label: readText,
  code: readText,
  gtin: readText,
  language: readText,
  address: readText,
  json: readText,
  money: readNumber,
  number: readNumber,
  count: readNumber,
  time: readNumber,
  flag: (value) => value !== 0,
  addresses: readTexts,
  labels: readTexts,
  paths: readPaths,
  attributes: readAttributes,
};

const optionalColumns = optionalFields
  .filter((field) => field !== "popularity")
  .map((field) => ({ field, column: columnOf(field) }));

/**
 * What every product has is a literal, and what it may have is read by the table of fields: searches read rows all the time,
 * and a loop over all fields takes three times as long.
 */
export function fromRow(row: ProductRow): StoredProduct {
  const product: StoredProduct = {
    rowId: readNumber(row.row_id),
    source: readSource(row.source),
    key: readText(row.key),
    id: readText(row.id),
    slug: readText(row.slug),
    name: readText(row.name),
    storeName: readText(row.store_name),
    description: readText(row.description),
    url: readText(row.url),
    images: readTexts(row.images),
    priceMinor: readNumber(row.price_minor),
    availability: readAvailability(row.availability),
    reviewCount: readNumber(row.review_count),
    isVerified: row.is_verified !== 0,
    isBoosted: row.is_boosted !== 0,
    discountVal: readNumber(row.discount_val),
    priceSinceMs: readNumber(row.price_since),
    createdAtMs: readNumber(row.created_at),
    updatedAtMs: readNumber(row.updated_at),
  };
  const values: Readonly<Record<string, unknown>> = row;
  for (const { field, column } of optionalColumns) {
    const value = values[column];
    if (value !== null) setField(product, field, value);
  }
  if (row.popularity !== 0) product.popularity = readNumber(row.popularity);
  return product;
}

function setField<Field extends OptionalField>(
  product: { [Name in Field]?: ValueOf<Name> },
  field: Field,
  value: unknown,
): void {
  const kind: KindOf<Field> = productFields[field].kind;
  product[field] = readers[kind](value);
}

/** The values of `productColumns`. */
export function toCells(product: NewProduct): Cell[] {
  return writtenFields.map((field) => {
    const value = product[field];
    if (value === undefined) return null;
    if (typeof value === "boolean") return value ? 1 : 0;
    return typeof value === "object" ? JSON.stringify(value) : value;
  });
}

export function isSource(text: unknown): text is ProductSource {
  return productSources.some((one) => one === text);
}

function readText(value: unknown): string {
  if (typeof value === "string") return value;
  throw unreadable("a column of another type");
}

function readNumber(value: unknown): number {
  if (typeof value === "number") return value;
  throw unreadable("a column of another type");
}

function readTexts(value: unknown): string[] {
  const texts: unknown = JSON.parse(readText(value));
  if (isTexts(texts)) return texts;
  throw unreadable("a list of something else than texts");
}

function readPaths(value: unknown): string[][] {
  const paths: unknown = JSON.parse(readText(value));
  if (Array.isArray(paths) && paths.every(isTexts)) return paths;
  throw unreadable("categories that are no lists of names");
}

function readAttributes(value: unknown): ProductAttributes {
  const attributes: unknown = JSON.parse(readText(value));
  if (isAttributes(attributes)) return attributes;
  throw unreadable("attributes that are no lists of values");
}

function isAttributes(value: unknown): value is ProductAttributes {
  return typeof value === "object" && value !== null && Object.values(value).every(isTexts);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function readSource(value: unknown): ProductSource {
  if (isSource(value)) return value;
  throw unreadable(`the source "${value}", which this release does not know`);
}

function readAvailability(value: unknown): Availability {
  const word = availabilities.find((one) => one === value);
  if (word !== undefined) return word;
  throw unreadable(`the availability "${value}", which this release does not know`);
}

function unreadable(fault: string): Error {
  return new Error(`A stored product cannot be read: it has ${fault}. Import it again.`);
}

/** Searches read the same row again and again: it is reported at most once per this time. */
const tellEveryMs = 10_000;
const maxCachedTokens = 1000;

export type RowReader = (row: ProductRow) => StoredProduct | undefined;

/**
 * Reads rows. A row that cannot be read, because it is damaged or from a newer release, is left out and becomes a
 * dead letter, so that it stops neither a search nor an index.
 */
export function createRowReader(
  clock: Clock,
  addDeadLetter: (letter: NewDeadLetter) => void | Promise<void>,
): RowReader {
  const toldAt = new Map<number, number>();

  const tell = (row: ProductRow, error: unknown) => {
    const nowMs = clock.now();
    if ((toldAt.get(row.row_id) ?? Number.NEGATIVE_INFINITY) > nowMs - tellEveryMs) return;
    if (toldAt.size >= maxCachedTokens) toldAt.clear();
    toldAt.set(row.row_id, nowMs);
    // Not at once, because the row is often read in a read-only transaction.
    setImmediate(async () => {
      try {
        await addDeadLetter({ queue: "products", item: String(row.id), error, failures: 1, atMs: nowMs });
      } catch {
        // The disk is full, or the database was closed meanwhile: the row is reported the next time it is read.
      }
    });
  };

  return (row) => {
    try {
      return fromRow(row);
    } catch (error) {
      tell(row, error);
      return undefined;
    }
  };
}

/** A row that cannot be read is removed without an event, because its content is unknown. */
export function readOrUndefined(row: ProductRow): StoredProduct | undefined {
  try {
    return fromRow(row);
  } catch {
    return undefined;
  }
}
