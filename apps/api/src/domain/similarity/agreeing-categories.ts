/** A product with an image that is similar to the query's. */
export interface SimilarInCategory {
  similarity: number;
  category?: string | undefined;
}

/** So many of the most similar products say what the image shows. */
const voters = 10;
/** A category is left out if the evidence for it is less than this share of the evidence for the strongest one. */
const minShare = 0.5;
/** A product this much of the way from the typical similarity to 1 is kept in any category: it may be the same one. */
const almostTheSame = 0.8;

/** Adds the categories of the products to the hits. A product that was deleted meanwhile has none. */
export function withCategories<Hit extends { rowId: number; similarity: number }>(
  hits: readonly Hit[],
  products: readonly { rowId: number; category?: string | undefined }[],
): (Hit & SimilarInCategory)[] {
  const categories = new Map(products.map(({ rowId, category }) => [rowId, category]));
  return hits.map((hit) => ({ ...hit, category: categories.get(hit.rowId) }));
}

/**
 * For each category of the most similar products, the sum of their similarities above the typical one, strongest first.
 * Products without a category count under undefined.
 */
export function evidenceByCategory(
  hits: readonly SimilarInCategory[],
  typicalSimilarity: number,
): [category: string | undefined, evidence: number][] {
  const evidence = new Map<string | undefined, number>();
  for (const { similarity, category } of hits.slice(0, voters)) {
    evidence.set(category, (evidence.get(category) ?? 0) + Math.max(0, similarity - typicalSimilarity));
  }
  return [...evidence].toSorted(([, one], [, other]) => other - one);
}

/**
 * Leaves out products of categories that few of the most similar products have: a lamp among watches. `hits` are sorted by
 * similarity. Products without a category are kept, since nothing speaks against them.
 */
export function keepAgreeing<Hit extends SimilarInCategory>(
  hits: readonly Hit[],
  typicalSimilarity: number,
): Hit[] {
  const evidence = evidenceByCategory(hits, typicalSimilarity).filter(([category]) => category !== undefined);
  const strongest = evidence[0]?.[1] ?? 0;
  const kept = new Set(
    evidence.flatMap(([category, sum]) => (sum >= minShare * strongest ? [category] : [])),
  );
  const same = typicalSimilarity + (1 - typicalSimilarity) * almostTheSame;
  return hits.filter(
    ({ similarity, category }) => category === undefined || kept.has(category) || similarity >= same,
  );
}
