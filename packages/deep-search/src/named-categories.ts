import { isCategoryName } from "@product-search/core/domain/category-paths.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { TextHits } from "@product-search/core/ports/text-search.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";

/**
 * The catalog without categories that are only numbers of a taxonomy. They name no kind of thing, so they are neither read in a
 * question nor written in an answer.
 */
export function withNamedCategories({
  textSearch,
  catalogStore,
}: Pick<DeepSearchDeps, "textSearch" | "catalogStore">): Pick<DeepSearchDeps, "textSearch" | "catalogStore"> {
  return {
    textSearch: {
      ...textSearch,
      search: async (query, signal) => withoutNumbers(await textSearch.search(query, signal)),
      categoriesNamedIn: async (text) => (await textSearch.categoriesNamedIn(text)).filter(isCategoryName),
    },
    catalogStore: {
      findByRowIds: async (rowIds) => (await catalogStore.findByRowIds(rowIds)).map(withoutNumber),
      priceHistories: (rowIds, limit) => catalogStore.priceHistories(rowIds, limit),
    },
  };
}

function withoutNumbers(hits: TextHits): TextHits {
  const { facets } = hits;
  if (facets === undefined) return hits;
  const categories = facets.categories.filter(({ value }) => isCategoryName(value));
  return { ...hits, facets: { ...facets, categories } };
}

function withoutNumber(product: StoredProduct): StoredProduct {
  const { category, ...rest } = product;
  return category === undefined || isCategoryName(category) ? product : rest;
}
