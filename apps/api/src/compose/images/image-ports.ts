import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import type { UploadedImageStore } from "@product-search/core/ports/uploaded-image-store.ts";
import type { VectorSearch } from "@product-search/core/ports/vector-search.ts";
import type { VisionModel } from "@product-search/core/ports/vision-model.ts";
import { createUsearchVectorSearch } from "../../adapters/vector-search/usearch.ts";
import type { VectorSegments } from "../../adapters/vector-search/vector-segments.ts";
import { createVisionPool, type VisionPoolSettings } from "../../adapters/vision-model/pool.ts";
import type { SearchCluster, SearchedVectors } from "../search/search-cluster-types.ts";
import type { Stores } from "../stores/stores.ts";

type ImageSearchStores = Pick<Stores, "uploadedImages" | "productImages">;

/** How an HTTP thread calls the vision threads and the thread of the vector index. */
export interface ImageFeeds extends VisionPoolSettings {
  /** Where SEARCH_URL is set: vectors are searched there. */
  searchCluster?: SearchCluster | undefined;
  searchedVectors?: ((receive: (searched: SearchedVectors) => void) => void) | undefined;
  vectors(receive: (segments: VectorSegments) => void): void;
}

export interface ImagePorts {
  uploadedImageStore: UploadedImageStore;
  productImageStore: Pick<ProductImageStore, "vectorsOf">;
  visionModel: VisionModel;
  vectorSearch: VectorSearch;
}

export function composeImagePorts(stores: ImageSearchStores, feeds: ImageFeeds): ImagePorts {
  const { searchCluster, searchedVectors, vectors } = feeds;
  const vectorSearch =
    searchCluster && searchedVectors
      ? searchCluster.vectorSearch(searchedVectors)
      : createUsearchVectorSearch({ subscribe: vectors });
  return {
    uploadedImageStore: stores.uploadedImages(),
    productImageStore: stores.productImages().searched,
    visionModel: createVisionPool(feeds, vectorSearch.model),
    vectorSearch,
  };
}
