import type { TextHits, TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Attempt } from "./relaxation.ts";

/** From this rating on, a product counts as well rated. */
const goodRating = 4;
const maxWishes = 3;

/**
 * Puts products that fulfil most wishes first: those described as a gift or as comfortable, and those that are well rated if
 * the words alone do not identify a product. The set of hits stays the same. Only the best hits are reordered.
 */
export async function orderByWishes(
  { intent, words }: Attempt,
  hits: TextHits,
  search: (change: Partial<Attempt>) => Promise<TextHits>,
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<TextHits> {
  const wishes: string[] = [];
  for (const wish of intent.wishes) if ((await wordFrequency(wish)) > 0) wishes.push(wish);
  const { minRating = 0 } = intent.constraints;
  const rated = {
    ...intent,
    constraints: { ...intent.constraints, minRating: Math.max(minRating, goodRating) },
  };
  const isSure = (intent.constraints.categories ?? intent.head) !== undefined;
  const fulfilled = await Promise.all([
    ...wishes.slice(0, maxWishes).map((wish) => search({ words: [...words, wish] })),
    ...(intent.asksForQuality || isSure ? [search({ intent: rated })] : []),
  ]);
  if (fulfilled.length === 0) return hits;
  const counts = new Map<number, number>();
  for (const { rowIds } of fulfilled) for (const id of rowIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const all = [...new Set([...hits.rowIds, ...fulfilled.flatMap(({ rowIds }) => rowIds)])];
  const rowIds = all.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  return { ...hits, rowIds: rowIds.slice(0, hits.rowIds.length) };
}
