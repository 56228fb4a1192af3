import { type Availability, availabilities } from "@product-search/core/domain/availability.ts";
import type { NewProduct } from "@product-search/core/domain/next-product.ts";
import {
  type ProductAttributes,
  type ProductSource,
  productSources,
  type StoredProduct,
} from "@product-search/core/domain/product.ts";
import type { ProductColumns, ProductRow } from "../database/product-columns.ts";

/** Optional fields come last: V8 defines each field after a spread with a separate call. */
export function fromRow(row: ProductRow): StoredProduct {
  assertTypes(row);
  return {
    rowId: row.row_id,
    source: asSource(row.source),
    key: row.key,
    id: row.id,
    slug: row.slug,
    name: row.name,
    storeName: row.store_name,
    description: row.description,
    url: row.url,
    images: readImages(row.images),
    priceMinor: row.price_minor,
    availability: asAvailability(row.availability),
    reviewCount: row.review_count,
    isVerified: row.is_verified !== 0,
    isBoosted: row.is_boosted !== 0,
    discountVal: row.discount_val,
    priceSinceMs: row.price_since,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    ...(row.brand !== null && { brand: row.brand }),
    ...(row.category !== null && { category: row.category }),
    ...(row.category_paths !== null && { categoryPaths: readCategoryPaths(row.category_paths) }),
    ...(row.group_id !== null && { groupId: row.group_id }),
    ...(row.attributes !== null && { attributes: readAttributes(row.attributes) }),
    ...(row.gtin !== null && { gtin: row.gtin }),
    ...(row.mpn !== null && { mpn: row.mpn }),
    ...(row.language !== null && { language: row.language }),
    ...(row.original_price_minor !== null && { originalPriceMinor: row.original_price_minor }),
    ...(row.average_rating !== null && { averageRating: row.average_rating }),
    ...(row.service_score !== null && { serviceScore: row.service_score }),
    ...(row.popularity !== 0 && { popularity: row.popularity }),
  };
}

export function toRow(product: NewProduct): ProductColumns {
  return {
    source: product.source,
    key: product.key,
    id: product.id,
    slug: product.slug,
    name: product.name,
    brand: product.brand ?? null,
    store_name: product.storeName,
    description: product.description,
    category: product.category ?? null,
    category_paths: product.categoryPaths === undefined ? null : JSON.stringify(product.categoryPaths),
    group_id: product.groupId ?? null,
    attributes: product.attributes === undefined ? null : JSON.stringify(product.attributes),
    gtin: product.gtin ?? null,
    mpn: product.mpn ?? null,
    language: product.language ?? null,
    url: product.url,
    images: JSON.stringify(product.images),
    price_minor: product.priceMinor,
    original_price_minor: product.originalPriceMinor ?? null,
    availability: product.availability,
    average_rating: product.averageRating ?? null,
    review_count: product.reviewCount,
    is_verified: product.isVerified ? 1 : 0,
    is_boosted: product.isBoosted ? 1 : 0,
    discount_val: product.discountVal,
    service_score: product.serviceScore ?? null,
    price_since: product.priceSinceMs,
    created_at: product.createdAtMs,
    updated_at: product.updatedAtMs,
  };
}

export function isSource(text: string): text is ProductSource {
  return productSources.some((one) => one === text);
}

/** SQLite does not check types: a damaged row may have any value in any column. */
function assertTypes(row: ProductRow): void {
  const isText =
    typeof row.key === "string" &&
    typeof row.id === "string" &&
    typeof row.slug === "string" &&
    typeof row.name === "string" &&
    typeof row.store_name === "string" &&
    typeof row.description === "string" &&
    typeof row.url === "string" &&
    (row.brand === null || typeof row.brand === "string") &&
    (row.category === null || typeof row.category === "string") &&
    (row.category_paths === null || typeof row.category_paths === "string") &&
    (row.group_id === null || typeof row.group_id === "string") &&
    (row.attributes === null || typeof row.attributes === "string") &&
    (row.gtin === null || typeof row.gtin === "string") &&
    (row.mpn === null || typeof row.mpn === "string") &&
    (row.language === null || typeof row.language === "string");
  const isNumber =
    typeof row.price_minor === "number" &&
    typeof row.review_count === "number" &&
    typeof row.discount_val === "number" &&
    typeof row.price_since === "number" &&
    typeof row.popularity === "number" &&
    typeof row.created_at === "number" &&
    typeof row.updated_at === "number" &&
    (row.original_price_minor === null || typeof row.original_price_minor === "number") &&
    (row.average_rating === null || typeof row.average_rating === "number") &&
    (row.service_score === null || typeof row.service_score === "number");
  if (!isText || !isNumber) throw unreadable("a column of another type");
}

function readImages(text: string): string[] {
  const images: unknown = JSON.parse(text);
  if (isTexts(images)) return images;
  throw unreadable("images that are no list of addresses");
}

function readCategoryPaths(text: string): string[][] {
  const paths: unknown = JSON.parse(text);
  if (Array.isArray(paths) && paths.every(isTexts)) return paths;
  throw unreadable("categories that are no lists of names");
}

function readAttributes(text: string): ProductAttributes {
  const attributes: unknown = JSON.parse(text);
  if (isAttributes(attributes)) return attributes;
  throw unreadable("attributes that are no lists of values");
}

function isAttributes(value: unknown): value is ProductAttributes {
  return typeof value === "object" && value !== null && Object.values(value).every(isTexts);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function asSource(text: string): ProductSource {
  if (isSource(text)) return text;
  throw unreadable(`the source "${text}", which this release does not know`);
}

function asAvailability(text: string): Availability {
  const word = availabilities.find((one) => one === text);
  if (word !== undefined) return word;
  throw unreadable(`the availability "${text}", which this release does not know`);
}

function unreadable(fault: string): Error {
  return new Error(`A stored product cannot be read: it has ${fault}. Import it again.`);
}
