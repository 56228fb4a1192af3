import type { StoredProduct } from "../../../domain/product.ts";
import type { CatalogStore } from "../../../ports/catalog-store.ts";
import type { TextHits } from "../../../ports/text-search.ts";
import { comparable } from "../understanding/same-word.ts";

/** More hits than this are not looked at one by one. */
const mostLookedAt = 400;

/**
 * The index finds a colour in any text, the store's name included: what "Blue Door" sells need not be blue. Where the hits are few
 * enough to look at, those are left out and the rest is counted anew.
 */
export async function keepColoured(
  hits: TextHits,
  colours: readonly (readonly string[])[],
  searchAll: (limit: number) => Promise<TextHits>,
  { findByRowIds }: Pick<CatalogStore, "findByRowIds">,
): Promise<TextHits> {
  if (hits.total > mostLookedAt) return hits;
  const { rowIds } = hits.total > hits.rowIds.length ? await searchAll(hits.total) : hits;
  const kept = (await findByRowIds(rowIds)).filter((product) => hasColours(product, colours));
  return { ...hits, rowIds: kept.map(({ rowId }) => rowId).slice(0, hits.rowIds.length), total: kept.length };
}

function hasColours(
  { name, description, category = "" }: StoredProduct,
  colours: readonly (readonly string[])[],
): boolean {
  const words = new Set(comparable(`${name} ${description} ${category}`).split(" "));
  return colours.every((group) => group.some((colour) => words.has(comparable(colour))));
}
