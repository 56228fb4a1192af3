import type { Snapshot } from "@product-search/text-index";
import type { SearchedVectors } from "../adapters/vector-search/opensearch/follow-vector-model.ts";
import type { ProductImageStore } from "../ports/product-image-store.ts";
import type { TextSearch } from "../ports/text-search.ts";
import type { VectorSearch } from "../ports/vector-search.ts";
import type { Stores } from "./store-types.ts";

export type { SearchedVectors } from "../adapters/vector-search/opensearch/follow-vector-model.ts";

export interface VectorModel {
  readonly model: string;
  readonly dimensions: number;
}

export type OnError = (error: unknown, what: string) => void;

export type IndexedStores = Pick<Stores, "catalogStore" | "markOfHistory">;

/** What a thread does with the OpenSearch cluster of a service of many nodes. */
export interface SearchCluster {
  textSearch(subscribe: (receive: (snapshot: Snapshot) => void) => void): TextSearch;
  vectorSearch(subscribe: (receive: (searched: SearchedVectors) => void) => void): VectorSearch;
  /** Writes the products until the signal says otherwise: on one node at a time. */
  keepTextIndex(stores: IndexedStores, onError: OnError, signal: AbortSignal): Promise<void>;
  keepVectorIndex(
    model: VectorModel,
    stores: Pick<IndexedStores, "markOfHistory"> & { productImageStore: ProductImageStore },
    onError: OnError,
    signal: AbortSignal,
  ): Promise<void>;
  /** Whose vectors the index has; undefined where there is none. Waits for the cluster. */
  indexedVectors(onError: OnError, signal: AbortSignal): Promise<VectorModel | undefined>;
  /** Settles when all that the catalog has now can be found. */
  untilSearchable(stores: IndexedStores, onError: OnError, signal: AbortSignal): Promise<void>;
  followVectors(
    store: Pick<ProductImageStore, "scan">,
    publish: (searched: SearchedVectors) => void,
    onError: OnError,
    signal: AbortSignal,
  ): Promise<void>;
  /** Tells, whenever that changes, whether the cluster can be reached. */
  watch(onState: (isReached: boolean, error: unknown) => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
