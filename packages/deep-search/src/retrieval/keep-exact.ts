import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { TextHits } from "@product-search/core/ports/text-search.ts";
import { comparable } from "../understanding/same-word.ts";
import type { Intent } from "../understanding/understanding.ts";

/** With more hits than this, hits are not checked one by one. */
const maxLookedAt = 200;
/** If this many products have a word in their names, products that only mention it are left out. */
const namedShare = 0.5;
const leastNamed = 3;

/**
 * The index finds words in any text. If there are few enough hits to check, some are left out and not counted: those with a
 * colour only in the name of the store ("Blue Door"), and those that only mention the thing ("keep it out of the rain").
 */
export async function keepExact(
  hits: TextHits,
  { words, features, kinds = [], constraints }: Intent,
  searchAll: (limit: number) => Promise<TextHits>,
  { findByRowIds }: Pick<CatalogStore, "findByRowIds">,
): Promise<TextHits> {
  const { colours = [] } = constraints;
  const nameWords = words.filter((word) => !features.includes(word)).map(comparable);
  const isChecked = colours.length + nameWords.length + kinds.length > 0;
  if (hits.total === 0 || hits.total > maxLookedAt || !isChecked) return hits;
  const { rowIds } = hits.total > hits.rowIds.length ? await searchAll(hits.total) : hits;
  const products = await findByRowIds(rowIds);
  const names = products.map(({ name, category = "" }) => wordsOf(`${name} ${category}`));
  const enough = Math.max(leastNamed, namedShare * names.length);
  const required = nameWords.filter((word) => names.filter((name) => name.has(word)).length >= enough);
  const isOfKind = kindsInNames(kinds, names, enough);
  const kept = products.filter(
    (product, index) =>
      required.every((word) => names[index]?.has(word)) &&
      isOfKind(names[index] ?? new Set()) &&
      hasColours(product, colours),
  );
  return { ...hits, rowIds: kept.map(({ rowId }) => rowId).slice(0, hits.rowIds.length), total: kept.length };
}

/** A bomber jacket to "keep out of the rain" is no rain jacket. */
function kindsInNames(
  kinds: readonly string[],
  names: readonly ReadonlySet<string>[],
  enough: number,
): (name: ReadonlySet<string>) => boolean {
  const kindWords = kinds.map((kind) => comparable(kind).split(" "));
  const isNamed = (name: ReadonlySet<string>): boolean =>
    kindWords.some((words) => words.every((word) => name.has(word)));
  return names.filter(isNamed).length >= enough ? isNamed : () => true;
}

function hasColours(
  { name, description, category = "" }: StoredProduct,
  colours: readonly (readonly string[])[],
): boolean {
  const words = wordsOf(`${name} ${description} ${category}`);
  return colours.every((group) => group.some((colour) => words.has(comparable(colour))));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(comparable(text).split(" "));
}
