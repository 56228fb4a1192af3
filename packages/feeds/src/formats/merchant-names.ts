import type { FeedKind } from "./feed-row.ts";

/** `g:image_link`, `Image Link` and `image link` are all `image_link`. */
export function merchantName(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/^g:/, "")
    .replace(/[\s-]+/g, "_");
}

/** OpenAI's names for Google's fields: https://developers.openai.com/commerce/specs/feed. All others are equal. */
const openAiNames = new Map([
  ["item_id", "id"],
  ["url", "link"],
  ["image_url", "image_link"],
  ["additional_image_urls", "additional_image_link"],
  ["product_category", "product_type"],
  ["group_id", "item_group_id"],
  ["star_rating", "average_rating"],
  ["product_review_rating", "average_rating"],
  ["product_review_count", "review_count"],
]);

/** Google's name for one of OpenAI's; any other name as it is. */
export function googleNameOf(name: string): string {
  return openAiNames.get(name) ?? name;
}

/** Google's names for those of a feed that may be OpenAI's, which is told by its `item_id`. */
export function googleNamesOf(names: readonly string[]): readonly string[] {
  if (!names.includes("item_id") || names.includes("id")) return names;
  return names.map(googleNameOf);
}

const inventoryNames = ["price", "sale_price", "availability", "deleted"];
/** A table with any other column is one of whole products whose names were not recognised. */
const inventoryColumns = new Set([
  ...["id", ...inventoryNames, "sale_price_effective_date", "sale_price_start_date", "sale_price_end_date"],
  ...["currency", "quantity", "store_code"],
]);

export const isInventoryField = (name: string): boolean => inventoryColumns.has(merchantName(name));

/** The kind of rows below a header; undefined if it is not the header of a feed. */
export function kindOfHeader(names: readonly string[]): FeedKind | undefined {
  if (!names.includes("id")) return undefined;
  if (names.includes("title") || names.includes("name")) return "products";
  const isInventory =
    names.every((name) => inventoryColumns.has(name)) && names.some((name) => inventoryNames.includes(name));
  return isInventory ? "inventory" : undefined;
}

/** A detail of a product in the form that tables have it in, where a colon ends the section and the name. */
export function toDetail(section: string, name: string, value: string): string {
  return [section.replaceAll(":", " "), name.replaceAll(":", " "), value].join(":");
}

/** What a variant is chosen by, in the form that tables have it in. */
export function toOption(name: string, value: string): string {
  return [name.replaceAll(/[:,]/g, " "), value].join(":");
}

/** The values of a row by the names of their columns, without empty ones. */
export function toRecord(names: readonly string[], values: readonly string[]): Map<string, string[]> {
  const record = new Map<string, string[]>();
  for (const [at, name] of names.entries()) {
    const value = values[at]?.trim() ?? "";
    if (value === "") continue;
    const former = record.get(name);
    if (former) former.push(value);
    else record.set(name, [value]);
  }
  return record;
}
