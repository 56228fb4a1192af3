import type { ProductImageStore, VectorSearch } from "@product-search/core/ports/images.ts";
import type { Lease } from "@product-search/core/ports/leases.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { IndexBuild } from "@product-search/opensearch/cluster/index-names.ts";
import type { SearchedVectors } from "@product-search/opensearch/vector-search/keep-vector-index.ts";
import type { Snapshot } from "@product-search/text-index";
import type { SynonymsOf } from "@product-search/text-search/newest-index.ts";
import type { Stores } from "../stores/store-types.ts";

export type { SearchedVectors } from "@product-search/opensearch/vector-search/keep-vector-index.ts";

export interface VectorModel {
  readonly model: string;
  readonly dimensions: number;
}

export type OnError = (error: unknown, what: string) => void;

export type IndexedStores = Pick<Stores, "catalogStore" | "markOfHistory">;

/** The OpenSearch part of a thread, for a service with several nodes. */
export interface SearchCluster {
  textSearch(
    subscribe: (receive: (snapshot: Snapshot) => void) => void,
    synonyms?: (receive: (synonymsOf: SynonymsOf) => void) => void,
  ): TextSearch;
  vectorSearch(subscribe: (receive: (searched: SearchedVectors) => void) => void): VectorSearch;
  /** Writes the products until the signal of the lease aborts, or ends at once if a newer release has written them. */
  keepTextIndex(stores: IndexedStores, onError: OnError, lease: Lease): Promise<void>;
  keepVectorIndex(
    model: VectorModel,
    stores: Pick<IndexedStores, "markOfHistory"> & { productImageStore: ProductImageStore },
    onError: OnError,
    lease: Lease,
  ): Promise<void>;
  /** The model of the vectors in the index; undefined if there is none. Waits for the cluster. */
  indexedVectors(onError: OnError, signal: AbortSignal): Promise<VectorModel | undefined>;
  /** Searches find all changes of the catalog up to this one. */
  searchableSequence(): Promise<number>;
  /** How far an index of the products that is being built is; undefined if none is. */
  textIndexBuild(): Promise<IndexBuild | undefined>;
  /** Resolves when everything that the catalog has now can be found. Meanwhile, it reports how far the index is. */
  untilSearchable(
    stores: IndexedStores,
    onBuild: (build: IndexBuild | undefined) => void,
    onError: OnError,
    signal: AbortSignal,
  ): Promise<void>;
  followVectors(
    store: Pick<ProductImageStore, "scan">,
    publish: (searched: SearchedVectors) => void,
    onError: OnError,
    signal: AbortSignal,
  ): Promise<void>;
  /** Reports whether the cluster can be reached, whenever that changes. */
  watch(onState: (isReached: boolean, error: unknown) => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
