import { categoryPathsOf } from "@product-search/core/domain/category-paths.ts";
import { fold } from "@product-search/core/domain/fold.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";

export interface SameCategoryDeps {
  catalogStore: Pick<CatalogStore, "findByRowIds">;
  textSearch: Pick<TextSearch, "search">;
}

const maxCandidates = 100;
const maxNameWords = 12;

/** Products of the catalog in the category of this one, those with the most words of its name and the nearest price first. */
export async function sameCategoryRows(
  { catalogStore, textSearch }: SameCategoryDeps,
  product: StoredProduct,
  count: number,
  signal: AbortSignal,
): Promise<number[]> {
  const [path] = categoryPathsOf(product);
  const filters = { source: "catalog", ...(path && { categories: [path.join(" > ")] }) } as const;
  const ask = async (text: string) => {
    const query = { text, filters, sort: "relevance", offset: 0, limit: maxCandidates } as const;
    const { rowIds, relatedRowIds = [] } = await textSearch.search(
      { ...query, ...(text !== "" && { relatedLimit: maxCandidates }) },
      signal,
    );
    return [...rowIds, ...relatedRowIds];
  };
  const byName = await ask([...wordsOf(product)].slice(0, maxNameWords).join(" "));
  const others = path === undefined || byName.length > count ? [] : await ask("");
  const rowIds = [...new Set([...byName, ...others])].filter((rowId) => rowId !== product.rowId);
  const words = wordsOf(product);
  const products = await catalogStore.findByRowIds(rowIds);
  return products
    .map((other) => ({
      rowId: other.rowId,
      shared: [...wordsOf(other)].filter((word) => words.has(word)).length,
      priceRatio: Math.abs(Math.log(Math.max(1, other.priceMinor) / Math.max(1, product.priceMinor))),
    }))
    .sort((one, other) => other.shared - one.shared || one.priceRatio - other.priceRatio)
    .slice(0, count)
    .map(({ rowId }) => rowId);
}

function wordsOf({ name }: Pick<StoredProduct, "name">): Set<string> {
  return new Set(fold(name).match(/[\p{L}\p{N}]+/gu) ?? []);
}
