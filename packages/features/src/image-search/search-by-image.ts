import {
  type Presentation,
  priceHistoryLimit,
  toKeptProduct,
} from "@product-search/core/domain/mapping/to-product.ts";
import { fold, readNameList } from "@product-search/core/domain/name-list.ts";
import {
  closestProducts,
  floorAbove,
  keepAgreeing,
  shownCategories,
  withCategories,
} from "@product-search/core/domain/similarity.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { UploadedImageStore, VectorSearch } from "@product-search/core/ports/images.ts";
import type { SearchByImageResponse } from "@product-search/types";

export interface SearchByImageDeps extends Presentation {
  uploadedImageStore: Pick<UploadedImageStore, "find">;
  vectorSearch: VectorSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds" | "findWithHistory">;
}

export interface ImageQuery {
  imageId: string;
  withoutCategories?: readonly string[];
}

const maxProducts = 50;
/** More than are returned, because products of other kinds are left out. */
const maxCandidates = 100;
/** Where the shopper leaves out categories, which may have the nearest hundred. */
const maxCandidatesWithout = 400;
/** With fewer similar products, the closest others are returned too. */
const fewProducts = 5;
const maxClosest = 20;

/**
 * The products of the catalog whose images are most similar to the image and show the same kind of thing, most similar
 * first; the categories that it seems to show; and, if there are few such products, the closest others.
 */
export async function searchByImage(
  deps: SearchByImageDeps,
  { imageId, withoutCategories }: ImageQuery,
  signal: AbortSignal,
): Promise<Omit<SearchByImageResponse, "status">> {
  const without = withoutCategories === undefined ? [] : readNameList("withoutCategories", withoutCategories);
  const image = await deps.uploadedImageStore.find(imageId);
  signal.throwIfAborted();
  const model = deps.vectorSearch.model();
  if (model === undefined) {
    throw new ApiError("unavailable", "The image index is not ready yet. Try again in a moment.", {
      retryAfterSeconds: 2,
    });
  }
  if (image?.model !== model) throw notFound(image !== undefined);
  const { alike, categories, closest } = await findAlike(deps, image.vector, without, signal);
  const found = await deps.catalogStore.findWithHistory([...alike, ...closest], priceHistoryLimit);
  const isAlike = new Set(alike);
  const present = (rows: typeof found) => rows.map((product) => toKeptProduct(product, deps));
  const others = present(found.filter(({ product }) => !isAlike.has(product.rowId)));
  return {
    Products: present(found.filter(({ product }) => isAlike.has(product.rowId))),
    ...(categories.length > 0 && { categories }),
    ...(others.length > 0 && { closest: others }),
  };
}

interface Alike {
  readonly alike: number[];
  readonly categories: string[];
  readonly closest: number[];
}

async function findAlike(
  { vectorSearch, catalogStore }: SearchByImageDeps,
  vector: Float32Array,
  without: readonly string[],
  signal: AbortSignal,
): Promise<Alike> {
  const typical = vectorSearch.typicalSimilarity();
  const limit = without.length === 0 ? maxCandidates : maxCandidatesWithout;
  const hits = await vectorSearch.search({ vector, limit, minSimilarity: -1 }, signal);
  const products = await readInTurns(
    catalogStore,
    hits.map(({ rowId }) => rowId),
  );
  const leftOut = new Set(without.map(fold));
  const nearest = withCategories(hits, products).filter(
    ({ category }) => category === undefined || !leftOut.has(fold(category)),
  );
  const shown = shownCategories(nearest, typical);
  const least = floorAbove(typical, vectorSearch.model());
  const similar = nearest.slice(0, maxCandidates).filter(({ similarity }) => similarity >= least);
  const alike = keepAgreeing(similar, typical, nearest).slice(0, maxProducts);
  const isReturned = new Set(alike);
  const others = nearest.filter((hit) => !isReturned.has(hit));
  const closest = alike.length < fewProducts ? closestProducts(others, shown) : [];
  const rowIdsOf = (some: readonly { rowId: number }[]) => some.map(({ rowId }) => rowId);
  return {
    alike: rowIdsOf(alike),
    categories: shown.categories,
    closest: rowIdsOf(closest.slice(0, maxClosest)),
  };
}

/** Reading four hundred rows at once would keep other requests of the thread waiting. */
async function readInTurns(catalogStore: SearchByImageDeps["catalogStore"], rowIds: readonly number[]) {
  const products = await catalogStore.findByRowIds(rowIds.slice(0, maxCandidates));
  for (let from = maxCandidates; from < rowIds.length; from += maxCandidates) {
    await letOthersCome();
    products.push(...(await catalogStore.findByRowIds(rowIds.slice(from, from + maxCandidates))));
  }
  return products;
}

function notFound(isFromFormerModel: boolean): ApiError {
  const fault = isFromFormerModel
    ? "the image was uploaded for an earlier image model"
    : "no image has this identifier";
  return new ApiError(
    "image_not_found",
    `imageId: ${fault}. Upload it to /vectorize-image again and use the new slug.`,
  );
}
