import { floorAbove } from "../../domain/similarity-floor.ts";
import type { CatalogStore } from "../../ports/catalog-store.ts";
import type { VectorSearch } from "../../ports/vector-search.ts";
import type { Descriptor, FoundObject } from "../../ports/vision-model.ts";

export interface NameObjectsDeps {
  vectorSearch: VectorSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds">;
}

/** What a detector says of an object that it cannot name. */
export const unnamed = "object";
/** So many similar products decide; more than half of those found must agree. */
const neighbours = 7;

/** The names of objects: the detector's, or else the category that most of the similar products have. */
export function nameObjects(
  deps: NameObjectsDeps,
  objects: readonly FoundObject[],
  signal: AbortSignal,
): Promise<string[]> {
  return Promise.all(
    objects.map(async ({ name, descriptor }) =>
      name === unnamed ? ((await categoryOf(deps, descriptor, signal)) ?? unnamed) : name,
    ),
  );
}

async function categoryOf(
  { vectorSearch, catalogStore }: NameObjectsDeps,
  { model, vector }: Descriptor,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (vectorSearch.model() !== model) return undefined;
  const minSimilarity = floorAbove(vectorSearch.typicalSimilarity());
  const hits = await vectorSearch.search({ vector, limit: neighbours, minSimilarity }, signal);
  const products = await catalogStore.findByRowIds(hits.map(({ rowId }) => rowId));
  const byCategory = Map.groupBy(products, ({ category }) => category);
  const [category, members = []] =
    [...byCategory].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  return members.length > products.length / 2 ? category : undefined;
}
