import { typicalSimilarity } from "@product-search/core/domain/similarity/typical-similarity.ts";
import { pause } from "@product-search/core/mechanisms/abortable.ts";
import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findBuiltIndex } from "../cluster/index-names.ts";
import { fromIdentity, type VectorModel } from "./vector-model.ts";

/** The index that was behind the alias when it was last read. */
export interface SearchedVectors extends VectorModel {
  /** Searched by this name: the alias may already be moved to an index of another model. */
  readonly index: string;
  /** The typical similarity of two products. */
  readonly typicalSimilarity: number;
  /** The sequence of the last change that is included. */
  readonly sequence: number;
}

export interface FollowVectorModelSettings {
  readonly cluster: Cluster;
  readonly alias: string;
  readonly store: Pick<ProductImageStore, "scan">;
  readonly publish: (searched: SearchedVectors) => void;
  /** Called once if the index cannot be read; reading is retried. */
  readonly onError: (error: unknown) => void;
  readonly pollMs?: number;
  readonly measureMs?: number;
}

/** Checks at intervals which model's vectors are searched, until the signal aborts. */
export async function followVectorModel(
  { cluster, alias, store, publish, onError, pollMs = 1_000, measureMs = 600_000 }: FollowVectorModelSettings,
  signal: AbortSignal,
): Promise<void> {
  let last: SearchedVectors | undefined;
  let measuredAtMs = 0;
  for (let hasFailed = false; !signal.aborted; ) {
    try {
      const built = await findBuiltIndex(cluster, alias);
      const found = built && {
        ...fromIdentity(built.identity),
        index: built.name,
        sequence: built.sequence,
      };
      if (found !== undefined && (found.index !== last?.index || found.sequence !== last.sequence)) {
        const isDue = found.model !== last?.model || performance.now() >= measuredAtMs + measureMs;
        const measured = isDue
          ? await typicalSimilarity(store, found.model, undefined)
          : last?.typicalSimilarity;
        if (isDue) measuredAtMs = performance.now();
        last = { ...found, typicalSimilarity: measured ?? 0 };
        publish(last);
      }
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    }
    await pause(pollMs, signal);
  }
}
