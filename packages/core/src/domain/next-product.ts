import { categoryPathsOf } from "./category-paths.ts";
import { type RowField, rowFields } from "./fields.ts";
import { productId, productSlug } from "./identity.ts";
import { discountPercent } from "./price/discount.ts";
import type { PricePoint, ProductInput, StoredProduct } from "./product.ts";
import { serviceScore } from "./service-score.ts";

/** A product before the store has assigned its row id. */
export type NewProduct = Omit<StoredProduct, "rowId" | "popularity">;

type WithoutDerived<Product> = Omit<Product, "discountVal" | "serviceScore">;

/** A new product with its price history, the current price last. */
export function firstProduct(
  { formerPrices = [], ...input }: ProductInput,
  nowMs: number,
  id = productId(input.source, input.key),
): { product: NewProduct; prices: PricePoint[] } {
  const prices = [...formerPrices];
  const last = prices.at(-1);
  const unchanged = last?.priceMinor === input.priceMinor;
  const present = unchanged ? last : { priceMinor: input.priceMinor, atMs: timeAfter(last?.atMs, nowMs) };
  if (!unchanged) prices.push(present);
  const product = {
    ...input,
    id,
    slug: productSlug(input.source, input.key, id, input.name),
    reviewCount: input.reviewCount ?? 0,
    isVerified: input.isVerified ?? false,
    isBoosted: input.isBoosted ?? false,
    priceSinceMs: present.atMs,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return { product: withDerived(product, prices.slice(0, -1)), prices };
}

/**
 * The stored product after the input, `undefined` if nothing changes. `pricesBefore` returns the prices in effect
 * during the 30 days before a time, oldest first; it is called only if they matter.
 */
export function nextProduct(
  previous: StoredProduct,
  { formerPrices: _, ...input }: ProductInput,
  nowMs: number,
  pricesBefore: (atMs: number) => readonly PricePoint[],
): StoredProduct | undefined {
  const repriced = input.priceMinor !== previous.priceMinor;
  const next = {
    ...input,
    rowId: previous.rowId,
    id: previous.id,
    // The URL of the page stays when a product is renamed.
    slug: previous.slug,
    reviewCount: input.reviewCount ?? 0,
    isVerified: input.isVerified ?? previous.isVerified,
    isBoosted: input.isBoosted ?? previous.isBoosted,
    priceSinceMs: repriced ? timeAfter(previous.priceSinceMs, nowMs) : previous.priceSinceMs,
    createdAtMs: previous.createdAtMs,
    updatedAtMs: nowMs,
  };
  return sameContent(previous, next) ? undefined : withDerived(next, pricesBefore(next.priceSinceMs));
}

/** Keeps a price history in order even if the clock was set back. */
function timeAfter(lastMs: number | undefined, nowMs: number): number {
  return lastMs === undefined ? nowMs : Math.max(nowMs, lastMs + 1);
}

function withDerived<Product extends WithoutDerived<NewProduct>>(
  product: Product,
  earlierPrices: readonly PricePoint[],
): Product & Pick<StoredProduct, "discountVal" | "serviceScore"> {
  const present = { priceMinor: product.priceMinor, atMs: product.priceSinceMs };
  const discountVal = discountPercent(present, earlierPrices);
  const score = serviceScore({ ...product, discountVal, hasEarlierPrice: earlierPrices.length > 0 });
  return { ...product, discountVal, serviceScore: score };
}

/** What a row changes. Categories are compared as paths, whatever fields say them. */
const comparedFields = rowFields.filter((field) => field !== "category");

/** The fields in which two products differ. */
export function changedFields(one: ProductInput, other: ProductInput): RowField[] {
  return comparedFields.filter((field) =>
    field === "categoryPaths"
      ? !isSame(categoryPathsOf(one), categoryPathsOf(other))
      : !isSame(one[field], other[field]),
  );
}

function sameContent(one: ProductInput, other: ProductInput): boolean {
  return comparedFields.every((field) =>
    field === "categoryPaths"
      ? isSame(categoryPathsOf(one), categoryPathsOf(other))
      : isSame(one[field], other[field]),
  );
}

type Content = ProductInput[RowField];

/** An empty list or object is the same as none. The order of an object's names does not matter, that of a list does. */
function isSame(one: Content, other: Content): boolean {
  if (one === other) return true;
  if (typeof (one ?? other) !== "object") return false;
  const [values, others] = [Object.entries(one ?? {}), new Map(Object.entries(other ?? {}))];
  return (
    values.length === others.size &&
    values.every(([name, value]) => others.has(name) && isSame(value, others.get(name)))
  );
}
