import type { FeedKind } from "./feed-row.ts";

/** `g:image_link`, `Image Link` and `image link` are all `image_link`. */
export function merchantName(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/^g:/, "")
    .replace(/[\s-]+/g, "_");
}

const inventoryNames = ["price", "sale_price", "availability", "deleted"];

/** The kind of rows below a header; undefined if it is not the header of a feed. */
export function kindOfHeader(names: readonly string[]): FeedKind | undefined {
  if (!names.includes("id")) return undefined;
  if (names.includes("title") || names.includes("name")) return "products";
  const isInventory = !names.includes("link") && names.some((name) => inventoryNames.includes(name));
  return isInventory ? "inventory" : undefined;
}

/** A detail of a product in the form that tables have it in, where a colon ends the section and the name. */
export function toDetail(section: string, name: string, value: string): string {
  return [section.replaceAll(":", " "), name.replaceAll(":", " "), value].join(":");
}
