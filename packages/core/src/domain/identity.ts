import { hash } from "node:crypto";
import { fold } from "./fold.ts";
import type { ProductSource } from "./product.ts";

const slugDigits = 8;
const slugWordsLength = 80;

/**
 * `_id` in responses. It contains the item code of a marketplace; for the catalog it is computed from the product's
 * key, so that the same feed gives the same identifiers in every deployment.
 */
export function productId(source: ProductSource, key: string): string {
  return source === "catalog" ? hash("sha256", `${source}\n${key}`, "hex").slice(0, 24) : `${source}_${key}`;
}

/** For marketplaces the item code; for the catalog the words of the name and the first digits of the `_id`. */
export function productSlug(source: ProductSource, key: string, id: string, name: string): string {
  if (source !== "catalog") return key;
  const words = fold(name)
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugWordsLength)
    .replace(/^-+|-+$/g, "");
  return words === "" ? id.slice(0, slugDigits) : `${words}-${id.slice(0, slugDigits)}`;
}

/** The first digits of the `_id` of the catalog product with this slug. */
export function idPrefixOfSlug(slug: string): string | undefined {
  return /(?:^|-)([0-9a-f]{8})$/.exec(slug)?.[1];
}
