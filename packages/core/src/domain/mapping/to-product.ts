import type { PriceHistoryEntry, Product } from "@product-search/types";
import { fromMinor } from "../price/money.ts";
import type { PriceEntry, ProductWithHistory, StoredProduct } from "../product.ts";
import { absoluteAddress } from "../urls.ts";
import { toOptionalFields } from "./optional-fields.ts";

/** Maximum length of `priceHistory` in responses; older entries stay in the database. */
export const priceHistoryLimit = 100;

export interface Presentation {
  /** Without a trailing slash. */
  publicUrl: string;
  currency: string;
}

/** What a response includes beyond the usual fields. */
export interface Included {
  description?: boolean;
  custom?: boolean;
}

/** A product of the catalog in the form of responses; `history` is oldest first. */
export function toProduct(
  product: StoredProduct,
  history: readonly PriceEntry[],
  { publicUrl, currency }: Presentation,
  { description = false, custom = false }: Included = {},
): Product {
  return {
    _id: product.id,
    key: product.key,
    name: product.name,
    storeName: product.storeName,
    slug: product.slug,
    price: fromMinor(product.priceMinor, currency),
    isVerified: product.isVerified,
    isBoosted: product.isBoosted,
    images: product.images.map((image) => absoluteAddress(image, publicUrl)),
    url: absoluteAddress(product.url, publicUrl),
    priceHistory: history.slice(-priceHistoryLimit).map((entry) => toPriceHistoryEntry(entry, currency)),
    discountVal: product.discountVal,
    availability: product.availability,
    // Optional fields last, as in `fromRow`: fields after them would be slow.
    ...(product.serviceScore !== undefined && { serviceScore: product.serviceScore }),
    ...(description && { description: product.description }),
    ...(custom && toCustom(product)),
    ...toOptionalFields(product, currency),
  };
}

const kept = new WeakMap<ProductWithHistory, Product>();

/**
 * The same with the usual fields. A store freezes what it keeps for further reads: of that the response is kept as well, and is
 * frozen too. A process has one presentation.
 */
export function toKeptProduct(found: ProductWithHistory, presentation: Presentation): Product {
  if (!Object.isFrozen(found)) return toProduct(found.product, found.history, presentation);
  const known = kept.get(found);
  if (known !== undefined) return known;
  const product = Object.freeze(toProduct(found.product, found.history, presentation));
  kept.set(found, product);
  return product;
}

/** The shop's own data, which is stored as text. */
export function toCustom({ custom }: Pick<StoredProduct, "custom">): Pick<Product, "custom"> {
  return custom === undefined ? {} : { custom: JSON.parse(custom) };
}

/** A price in the form of responses. */
export function toPriceHistoryEntry(
  { id, priceMinor, atMs }: PriceEntry,
  currency: string,
): PriceHistoryEntry {
  return { price: fromMinor(priceMinor, currency), date: new Date(atMs).toISOString(), _id: id };
}
