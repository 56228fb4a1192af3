import { requireProduct } from "@product-search/core/domain/find-product.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { keepAgreeing, withCategories } from "@product-search/core/domain/similarity/agreeing-categories.ts";
import { floorAbove } from "@product-search/core/domain/similarity/similarity-floor.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import type { SimilarProduct, VectorSearch } from "@product-search/core/ports/vector-search.ts";
import type { Product } from "@product-search/types";
import { type ReadProductsDeps, readProducts } from "./read-hits.ts";
import { type SameCategoryDeps, sameCategoryRows } from "./same-category.ts";

export interface SimilarProductsDeps extends ReadProductsDeps, SameCategoryDeps {
  catalogStore: SameCategoryDeps["catalogStore"] & Pick<CatalogStore, "findByIds" | "findWithHistory">;
  productImageStore: Pick<ProductImageStore, "vectorsOf">;
  vectorSearch: VectorSearch;
}

/** More than are wanted, because products of other kinds are left out. */
const candidatesPerProduct = 2;

/**
 * The products of the same kind with the most similar images, most similar first, without the product itself. If it has no
 * image, those of its category that are most like it by name and price.
 */
export async function similarProducts(
  deps: SimilarProductsDeps,
  id: string,
  { count = 20 }: { count?: number },
  signal: AbortSignal,
): Promise<Product[]> {
  const product = await requireProduct(deps.catalogStore, id);
  const rowIds = await alikeRows(deps, product, count);
  return readProducts(deps, rowIds ?? (await sameCategoryRows(deps, product, count, signal)));
}

/** Undefined if the product has no image, or none is described. */
export async function alikeRows(
  deps: SimilarProductsDeps,
  product: StoredProduct,
  count: number,
): Promise<number[] | undefined> {
  if (product.images.length === 0) return undefined;
  const vectors = await vectorsToSearch(deps, product.rowId);
  if (vectors.length === 0) return undefined;
  const hits = await maxAlike(deps.vectorSearch, vectors, candidatesPerProduct * (count + 1));
  const products = await deps.catalogStore.findByRowIds(hits.map(({ rowId }) => rowId));
  const alike = withCategories(hits, products);
  const others = keepAgreeing(alike, deps.vectorSearch.typicalSimilarity()).flatMap(({ rowId }) =>
    rowId === product.rowId ? [] : [rowId],
  );
  return others.slice(0, count);
}

/** The vectors of the model that is searched. If another one is searched when they have been read, they are read again. */
async function vectorsToSearch(
  { vectorSearch, productImageStore }: Pick<SimilarProductsDeps, "vectorSearch" | "productImageStore">,
  rowId: number,
): Promise<readonly Float32Array[]> {
  for (;;) {
    const model = vectorSearch.model();
    if (model === undefined) {
      throw new ApiError("unavailable", "The image index is not ready yet. Try again in a moment.", {
        retryAfterSeconds: 2,
      });
    }
    const [images] = await productImageStore.vectorsOf([rowId], model);
    if (vectorSearch.model() === model) return images?.vectors ?? [];
  }
}

/** The products most like any of the images, each by the image that it is most like. */
async function maxAlike(
  vectorSearch: VectorSearch,
  vectors: readonly Float32Array[],
  limit: number,
): Promise<SimilarProduct[]> {
  const minSimilarity = floorAbove(vectorSearch.typicalSimilarity(), vectorSearch.model());
  const best = new Map<number, number>();
  const found = vectors.map((vector) => vectorSearch.search({ vector, limit, minSimilarity }));
  for (const similar of await Promise.all(found)) {
    for (const { rowId, similarity } of similar)
      best.set(rowId, Math.max(similarity, best.get(rowId) ?? similarity));
  }
  return [...best]
    .sort(([one, likeness], [other, otherLikeness]) => otherLikeness - likeness || one - other)
    .slice(0, limit)
    .map(([rowId, similarity]) => ({ rowId, similarity }));
}
