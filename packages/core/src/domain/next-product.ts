import { toAttributes } from "./attributes.ts";
import { type RowField, rowFields } from "./fields.ts";
import { productId, productSlug } from "./identity.ts";
import { discountPercent } from "./price/money.ts";
import type { FieldChanges, PricePoint, ProductInput, ProductPatch, StoredProduct } from "./product.ts";
import { categoryPathsOf } from "./product.ts";
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

export const maxCustomBytes = 4096;
export const customTooLong = `is longer than ${maxCustomBytes} bytes as JSON, with what the product has`;

/** What a product has after the field that every product has was removed. */
const emptied = {
  description: "",
  images: [],
  availability: "in_stock",
  reviewCount: 0,
  isVerified: false,
  isBoosted: false,
} as const;

/**
 * The whole product as an input, with the changes of the patch; undefined if its `custom` would become too long, which only
 * the stored product shows.
 */
export function patchProduct(product: StoredProduct, { patch }: ProductPatch): ProductInput | undefined {
  const { set = {}, removed = [], salePriceMinor } = patch;
  const sale = salePriceMinor === undefined ? {} : saleOf(product, salePriceMinor);
  const merged = {
    ...product,
    ...sale,
    ...set,
    ...mergedAttributes(product, patch),
    ...mergedCustom(product, patch),
  };
  const custom = merged.custom ?? "";
  if (Buffer.byteLength(custom) > maxCustomBytes) return undefined;
  for (const field of removed) removeField(merged, field);
  for (const field of ["attributes", "custom"] as const) if (isEmpty(merged[field])) delete merged[field];
  return merged;
}

const isEmpty = (value: ProductInput["attributes" | "custom"]) =>
  value === "{}" || (typeof value === "object" && Object.keys(value).length === 0);

function removeField(product: ProductInput, field: RowField): void {
  if (field === "storeName") product.storeName = hostOf(product.url);
  else if (field in emptied) Object.assign(product, { [field]: Reflect.get(emptied, field) });
  else Reflect.deleteProperty(product, field);
}

/** The store of a product whose shop names none. */
export function hostOf(...urls: readonly string[]): string {
  const address = urls.find((one) => URL.canParse(one));
  return address === undefined ? "Unknown store" : new URL(address).hostname.replace(/^www\./, "");
}

function saleOf({ originalPriceMinor, priceMinor }: StoredProduct, salePriceMinor: number) {
  return { priceMinor: salePriceMinor, originalPriceMinor: originalPriceMinor ?? priceMinor };
}

function mergedAttributes(product: StoredProduct, { attributes }: FieldChanges) {
  if (attributes === undefined) return {};
  const all = Object.entries({ ...product.attributes, ...attributes });
  const pairs = all.flatMap(([name, values]) => (values ?? []).map((value) => [name, value] as const));
  return { attributes: toAttributes(pairs).attributes ?? {} };
}

function mergedCustom(product: StoredProduct, { custom }: FieldChanges) {
  if (custom === undefined) return {};
  const former: object = JSON.parse(product.custom ?? "{}");
  const members = Object.entries({ ...former, ...custom }).filter(([, value]) => value !== null);
  return { custom: JSON.stringify(Object.fromEntries(members)) };
}
