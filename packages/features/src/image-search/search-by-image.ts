import {
  type Presentation,
  priceHistoryLimit,
  toProduct,
} from "@product-search/core/domain/mapping/to-product.ts";
import { keepAgreeing, withCategories } from "@product-search/core/domain/similarity/agreeing-categories.ts";
import { floorAbove } from "@product-search/core/domain/similarity/similarity-floor.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { UploadedImageStore } from "@product-search/core/ports/uploaded-image-store.ts";
import type { VectorSearch } from "@product-search/core/ports/vector-search.ts";
import type { Product } from "@product-search/types";

export interface SearchByImageDeps extends Presentation {
  uploadedImageStore: Pick<UploadedImageStore, "find">;
  vectorSearch: VectorSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds" | "findWithHistory">;
}

const maxProducts = 50;
/** More than are returned, because products of other kinds are left out. */
const maxCandidates = 100;

/** The products of the catalog whose images are most similar to the image and show the same kind of thing, most similar first. */
export async function searchByImage(
  deps: SearchByImageDeps,
  { imageId }: { imageId: string },
  signal: AbortSignal,
): Promise<Product[]> {
  const image = await deps.uploadedImageStore.find(imageId);
  signal.throwIfAborted();
  const model = deps.vectorSearch.model();
  if (model === undefined) {
    throw new ApiError("unavailable", "The image index is not ready yet. Try again in a moment.", {
      retryAfterSeconds: 2,
    });
  }
  if (image?.model !== model) throw notFound(image !== undefined);
  const rowIds = await findAlike(deps, image.vector, signal);
  const found = await deps.catalogStore.findWithHistory(rowIds, priceHistoryLimit);
  return found.map(({ product, history }) => toProduct(product, history, deps));
}

async function findAlike(
  { vectorSearch, catalogStore }: SearchByImageDeps,
  vector: Float32Array,
  signal: AbortSignal,
): Promise<number[]> {
  const typical = vectorSearch.typicalSimilarity();
  const query = { vector, limit: maxCandidates, minSimilarity: floorAbove(typical) };
  const hits = await vectorSearch.search(query, signal);
  const products = await catalogStore.findByRowIds(hits.map(({ rowId }) => rowId));
  const alike = withCategories(hits, products);
  return keepAgreeing(alike, typical)
    .slice(0, maxProducts)
    .map(({ rowId }) => rowId);
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
