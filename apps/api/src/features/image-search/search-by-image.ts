import type { Product } from "@product-search/types";
import { type Presentation, priceHistoryLimit, toProduct } from "../../domain/mapping/to-product.ts";
import { floorAbove } from "../../domain/similarity-floor.ts";
import { ApiError } from "../../errors.ts";
import type { CatalogStore } from "../../ports/catalog-store.ts";
import type { UploadedImageStore } from "../../ports/uploaded-image-store.ts";
import type { VectorSearch } from "../../ports/vector-search.ts";

export interface SearchByImageDeps extends Presentation {
  uploadedImageStore: Pick<UploadedImageStore, "find">;
  vectorSearch: VectorSearch;
  catalogStore: Pick<CatalogStore, "findWithHistory">;
}

const maxProducts = 50;

/** The products of the catalog whose images are most similar to the image, most similar first. */
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
  const minSimilarity = floorAbove(deps.vectorSearch.typicalSimilarity());
  const query = { vector: image.vector, limit: maxProducts, minSimilarity };
  const hits = await deps.vectorSearch.search(query, signal);
  const rowIds = hits.map(({ rowId }) => rowId);
  const found = await deps.catalogStore.findWithHistory(rowIds, priceHistoryLimit);
  return found.map(({ product, history }) => toProduct(product, history, deps));
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
