import type { Selectable } from "kysely";
import { type Availability, availabilities } from "../../domain/availability.ts";
import type { NewProduct } from "../../domain/next-product.ts";
import { type ProductSource, productSources, type StoredProduct } from "../../domain/product.ts";
import type { ProductsTable } from "../database/schema.ts";

export type ProductRow = Selectable<ProductsTable>;

/** What the columns hold of a product but the number that the database gives it. */
export type ProductColumns = Omit<ProductRow, "row_id">;

/** In the order of the statements' parameters. */
export const productColumns = [
  "source",
  "key",
  "id",
  "slug",
  "name",
  "brand",
  "store_name",
  "description",
  "category",
  "url",
  "images",
  "price_minor",
  "original_price_minor",
  "availability",
  "average_rating",
  "review_count",
  "is_verified",
  "is_boosted",
  "discount_val",
  "service_score",
  "price_since",
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof ProductColumns)[];

/** What may be missing comes last: V8 defines each field that follows a spread with a call of its own. */
export function fromRow(row: ProductRow): StoredProduct {
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
    images: JSON.parse(row.images),
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
    ...(row.original_price_minor !== null && { originalPriceMinor: row.original_price_minor }),
    ...(row.average_rating !== null && { averageRating: row.average_rating }),
    ...(row.service_score !== null && { serviceScore: row.service_score }),
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

export function asSource(text: string): ProductSource {
  return known(productSources, text, "source");
}

function asAvailability(text: string): Availability {
  return known(availabilities, text, "availability");
}

function known<Word extends string>(words: readonly Word[], text: string, column: string): Word {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined)
    throw new Error(`The store holds the ${column} "${text}", which this release does not know.`);
  return word;
}
