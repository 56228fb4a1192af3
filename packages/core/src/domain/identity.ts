import { hash } from "node:crypto";
import { ApiError } from "../errors.ts";
import type { CatalogReads } from "../ports/catalog-store.ts";
import { productSources } from "./fields.ts";
import { fold } from "./name-list.ts";
import type { ProductSource, StoredProduct } from "./product.ts";

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

/** What a client's text may name, in this order: an `_id`, else a key in the catalog or in a marketplace. */
export function namedIds(idOrKey: string): string[] {
  // Not every store can look for this character, and no identifier or key has it.
  if (idOrKey.includes("\0")) return [];
  return [...new Set([idOrKey, ...productSources.map((source) => productId(source, idOrKey))])];
}

/** The products that the texts name, by text. A text that names no product has no entry. */
export async function findNamedProducts(
  catalogStore: Pick<CatalogReads, "findByIds">,
  idsOrKeys: readonly string[],
): Promise<Map<string, StoredProduct>> {
  const names = new Map(idsOrKeys.map((idOrKey) => [idOrKey, namedIds(idOrKey)]));
  const products = await catalogStore.findByIds([...new Set([...names.values()].flat())]);
  const byId = new Map(products.map((product) => [product.id, product]));
  return new Map(
    [...names].flatMap(([idOrKey, ids]) => {
      const product = ids.map((id) => byId.get(id)).find((one) => one !== undefined);
      return product === undefined ? [] : [[idOrKey, product]];
    }),
  );
}

/** The product of a path. */
export async function requireProduct(
  catalogStore: Pick<CatalogReads, "findByIds">,
  idOrKey: string,
): Promise<StoredProduct> {
  const product = (await findNamedProducts(catalogStore, [idOrKey])).get(idOrKey);
  if (product === undefined) throw productNotFound();
  return product;
}

export function productNotFound(): ApiError {
  return new ApiError(
    "product_not_found",
    "product_id: no product has this identifier or key. Send the _id or the key of a product, percent-encoded.",
  );
}
