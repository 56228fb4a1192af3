import { toAttributes } from "./attributes.ts";
import type { RowField } from "./fields.ts";
import type { FieldChanges, ProductInput, ProductPatch, StoredProduct } from "./product.ts";

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
