import { withCategories } from "@product-search/core/domain/similarity/agreeing-categories.ts";
import { evidenceOfName, nameConfidence } from "@product-search/core/domain/similarity/name-confidence.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { VectorSearch } from "@product-search/core/ports/vector-search.ts";
import type { Descriptor, FoundObject } from "@product-search/core/ports/vision-model.ts";

export interface NameObjectsDeps {
  vectorSearch: VectorSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds">;
}

/** What a detector says of an object that it cannot name. */
const unnamed = "object";
const voters = 10;
/** The last of them say how similar to the object a product is that has nothing to do with it. */
const candidates = 100;

export interface ObjectName {
  name: string;
  /** For a name that the catalog gives: that box and name are right. Else the detector's. */
  confidence: number;
}

/** The names of objects: the detector's, or else the category that most of the similar products have. */
export function nameObjects(
  deps: NameObjectsDeps,
  objects: readonly FoundObject[],
  signal: AbortSignal,
): Promise<ObjectName[]> {
  return Promise.all(
    objects.map(async ({ name, confidence, descriptor }) => {
      const named = name === unnamed ? await nameByCatalog(deps, descriptor, confidence, signal) : undefined;
      return named ?? { name, confidence };
    }),
  );
}

async function nameByCatalog(
  { vectorSearch, catalogStore }: NameObjectsDeps,
  { model, vector }: Descriptor,
  box: number,
  signal: AbortSignal,
): Promise<ObjectName | undefined> {
  if (vectorSearch.model() !== model) return undefined;
  const typical = vectorSearch.typicalSimilarity();
  const hits = await vectorSearch.search({ vector, limit: candidates, minSimilarity: -1 }, signal);
  const products = await catalogStore.findByRowIds(hits.slice(0, voters).map(({ rowId }) => rowId));
  const alike = withCategories(hits, products);
  const named = evidenceOfName(alike, typical, box);
  return named && { name: named.category, confidence: nameConfidence(named.evidence) };
}
