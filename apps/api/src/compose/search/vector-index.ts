import type { VectorFollower } from "../../adapters/vector-search/follow-vectors.ts";
import type { IndexedModel } from "../../adapters/vector-search/generation.ts";
import type { ProductImages, Stores } from "../stores/store-types.ts";
import type { OnError, SearchCluster, SearchedVectors } from "./search-cluster-types.ts";

/** The vector index, embedded or in OpenSearch. */
export type VectorIndex = Omit<VectorFollower, "unusable"> & Partial<Pick<VectorFollower, "unusable">>;

interface VectorIndexParts {
  target: IndexedModel;
  /** What this node follows. */
  images: Pick<ProductImages, "searched">;
  publish(searched: SearchedVectors): void;
  onError: OnError;
}

/**
 * The index in OpenSearch. One node at a time writes it; every node checks which model's vectors are searched. After
 * a change of the model, the vectors of the former one are searched until the new one has described all images.
 */
export function followVectorsInCluster(
  cluster: SearchCluster,
  { leases, markOfHistory, productImages }: Pick<Stores, "leases" | "markOfHistory" | "productImages">,
  { target, images, publish, onError }: VectorIndexParts,
): VectorIndex {
  const stopping = new AbortController();
  const switching = new AbortController();
  let searched: SearchedVectors | undefined;
  const writing = leases.lead("vector-index", async (lease) => {
    const indexed = { productImageStore: productImages(lease).written, markOfHistory };
    const former = await cluster.indexedVectors(onError, lease.signal);
    if (former !== undefined && former.model !== target.model) {
      const signal = AbortSignal.any([lease.signal, switching.signal]);
      await cluster.keepVectorIndex(former, indexed, onError, { ...lease, signal });
      if (!switching.signal.aborted) return;
    }
    if (!lease.signal.aborted) await cluster.keepVectorIndex(target, indexed, onError, lease);
  });
  const following = cluster.followVectors(
    images.searched,
    (newest) => {
      searched = newest;
      publish(newest);
    },
    onError,
    stopping.signal,
  );
  return {
    model: () => searched?.model ?? "",
    sequence: () => searched?.sequence ?? -1,
    switchTo: () => switching.abort(),
    ended: Promise.all([writing.ended, following]).then(() => {}),
    async stop() {
      stopping.abort();
      await Promise.all([writing.stop(), following]);
      await cluster.close();
    },
  };
}
