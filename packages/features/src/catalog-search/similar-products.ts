import { requireProduct } from "@product-search/core/domain/identity.ts";
import { fold } from "@product-search/core/domain/name-list.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { categoryPathsOf } from "@product-search/core/domain/product.ts";
import { floorAbove, keepAgreeing, withCategories } from "@product-search/core/domain/similarity.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { ProductImageStore, SimilarProduct, VectorSearch } from "@product-search/core/ports/images.ts";
import type { InsightStore } from "@product-search/core/ports/insights.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Product, RelatedProductsResponse } from "@product-search/types";
import { type ReadProductsDeps, readProducts } from "./search-catalog.ts";

interface SimilarProductsDeps extends ReadProductsDeps, SameCategoryDeps {
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
async function alikeRows(
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

interface RelatedProductsDeps extends SimilarProductsDeps {
  catalogStore: SimilarProductsDeps["catalogStore"] & Pick<CatalogStore, "rowIdsOf">;
  insightStore: Pick<InsightStore, "boughtTogether">;
}

type RelatedKind = RelatedProductsResponse["kind"];

/** Products for the page of another one. If there are none of the kind, those of the same category. */
export async function relatedProducts(
  deps: RelatedProductsDeps,
  id: string,
  { kind = "alike", count = 10 }: { kind?: Exclude<RelatedKind, "sameCategory">; count?: number },
  signal: AbortSignal,
): Promise<Pick<RelatedProductsResponse, "kind" | "Products">> {
  const product = await requireProduct(deps.catalogStore, id);
  const rowIds =
    kind === "alike"
      ? ((await alikeRows(deps, product, count)) ?? [])
      : await boughtRows(deps, product.id, count);
  if (rowIds.length > 0) return { kind, Products: await readProducts(deps, rowIds) };
  const others = await sameCategoryRows(deps, product, count, signal);
  return { kind: "sameCategory", Products: await readProducts(deps, others) };
}

async function boughtRows(
  { insightStore, catalogStore }: Pick<RelatedProductsDeps, "insightStore" | "catalogStore">,
  id: string,
  count: number,
): Promise<number[]> {
  const ids = await insightStore.boughtTogether(id, count);
  const rows = ids.length === 0 ? new Map<string, number>() : await catalogStore.rowIdsOf(ids);
  return ids.flatMap((one) => rows.get(one) ?? []);
}

interface SameCategoryDeps {
  catalogStore: Pick<CatalogStore, "findByRowIds">;
  textSearch: Pick<TextSearch, "search">;
}

const maxCandidates = 100;
const maxNameWords = 12;

/** Products of the catalog in the category of this one, those with the most words of its name and the nearest price first. */
async function sameCategoryRows(
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
      { ...query, ...(text !== "" && { relatedCount: maxCandidates }) },
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
