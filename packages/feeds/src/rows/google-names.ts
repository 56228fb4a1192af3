import type { NativeRecord } from "../formats/feed-row.ts";
import { merchantName } from "../formats/merchant-names.ts";

/** Names that only Google's fields have: the native format has other words for them. */
const googleOnly = new Set([
  "title",
  "link",
  "image_link",
  "additional_image_link",
  "sale_price",
  "product_type",
  "google_product_category",
]);

/** Native names, in the spelling of `googleName`, for fields that have another name in Google's format. */
const nativeNames = new Map([
  ["_id", "id"],
  ["item_code", "id"],
  ["name", "title"],
  ["url", "link"],
  ["images", "image_link"],
  ["category", "product_type"],
]);

/** Google's APIs write lists in the plural: `additionalImageLinks`, `productTypes`. */
const plurals = new Map([
  ["additional_image_links", "additional_image_link"],
  ["product_types", "product_type"],
]);

/**
 * The fields of a JSON object by Google's names, if it uses them; else undefined. `image_link`, `g:image_link`, `Image Link` and
 * `imageLink` are the same. An object with `name` and `url` is native, whatever other fields it has: those are ignored there.
 */
export function toGoogleNames(record: NativeRecord): Map<string, string[]> | undefined {
  if (isGiven(record.name) && isGiven(record.url)) return undefined;
  const named = Object.entries(record)
    .filter(([, value]) => isGiven(value))
    .map(([name, value]) => [googleName(name), value] as const);
  if (!named.some(([name]) => googleOnly.has(name))) return undefined;
  const fields = new Map<string, string[]>();
  const add = (name: string, values: readonly string[]) => {
    const former = fields.get(name);
    if (former === undefined) fields.set(name, [...values]);
    else former.push(...values);
  };
  // Google's own names first: of two values of one field, the first is used.
  for (const isNative of [false, true]) {
    for (const [name, value] of named) {
      if (nativeNames.has(name) !== isNative) continue;
      const texts = textsOf(value);
      if (texts.length > 0) add(nativeNames.get(name) ?? name, texts);
    }
  }
  splitImages(fields);
  takeOriginalPrice(fields);
  return fields;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function googleName(written: string): string {
  const name = merchantName(written.trim().replace(/([a-z])([A-Z])/g, "$1_$2"));
  return plurals.get(name) ?? name;
}

/** As a table would have them. A price may be an object with `value` and `currency`; other objects hold no text. */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => (Array.isArray(one) ? [] : textsOf(one)));
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  const { value: amount, currency }: { value?: unknown; currency?: unknown } = Object(value);
  const isAmount = typeof amount === "number" || typeof amount === "string";
  return isAmount && typeof currency === "string" ? [`${amount} ${currency}`] : [];
}

/** Google has one main image; here a list of them may be given. */
function splitImages(fields: Map<string, string[]>): void {
  const [first, ...others] = fields.get("image_link") ?? [];
  if (first === undefined || others.length === 0) return;
  fields.set("image_link", [first]);
  fields.set("additional_image_link", [...others, ...(fields.get("additional_image_link") ?? [])]);
}

/** The native price before a reduction is Google's `price` beside a `sale_price`. */
function takeOriginalPrice(fields: Map<string, string[]>): void {
  const original = fields.get("original_price");
  const price = fields.get("price");
  if (original === undefined || price === undefined || fields.has("sale_price")) return;
  fields.set("sale_price", price);
  fields.set("price", original);
}
