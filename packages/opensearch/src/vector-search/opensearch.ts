import type { SimilarProduct, VectorQuery, VectorSearch } from "@product-search/core/ports/images.ts";
import { z } from "zod";
import { type Cluster, ClusterError, requestSearch, toApiError } from "../cluster/cluster.ts";
import type { SearchedVectors } from "./keep-vector-index.ts";

export interface OpenSearchVectorSearchSettings {
  readonly cluster: Cluster;
  /** Calls back with the searched index at once, if it is known, and whenever it changes. */
  subscribe(receive: (searched: SearchedVectors) => void): void;
}

const response = z.object({
  timed_out: z.boolean(),
  _shards: z.object({ failed: z.number() }),
  hits: z.object({ hits: z.array(z.object({ _id: z.string(), _score: z.number() })) }),
});

/** Minimum number of candidates: with fewer, the best would be missed too often. */
const minCandidates = 100;
/** Half precision cannot distinguish smaller differences, as in the embedded index. */
const resolution = 5000;

export function createOpenSearchVectorSearch({
  cluster,
  subscribe,
}: OpenSearchVectorSearchSettings): VectorSearch {
  let searched: SearchedVectors | undefined;
  subscribe((newest) => {
    searched = newest;
  });
  return {
    model: () => searched?.model,
    typicalSimilarity: () => searched?.typicalSimilarity ?? 0,
    search: async (query, signal) => {
      if (searched === undefined) return [];
      if (query.vector.length !== searched.dimensions || !query.vector.every(Number.isFinite)) {
        const { length } = query.vector;
        throw new Error(`A query of ${length} numbers does not fit vectors of ${searched.dimensions}.`);
      }
      try {
        return await search(cluster, searched.index, query, signal);
      } catch (error) {
        throw toApiError(error);
      }
    },
  };
}

async function search(
  cluster: Cluster,
  index: string,
  { vector, limit, minSimilarity }: VectorQuery,
  signal: AbortSignal | undefined,
): Promise<SimilarProduct[]> {
  const k = Math.max(minCandidates, limit);
  const knn = { "images.vector": { vector: Array.from(vector), k } };
  const body = { size: k, query: { nested: { path: "images", score_mode: "max", query: { knn } } } };
  const path = (copies: string | undefined) =>
    `/${index}/_search?allow_partial_search_results=false&_source=false${copies === undefined ? "" : `&preference=${encodeURIComponent(copies)}`}`;
  const hits = await requestSearch(
    cluster,
    {
      request: (copies) => ({ method: "POST", path: path(copies), body }),
      parse(body) {
        const { timed_out, _shards, hits } = response.parse(body);
        if (timed_out || _shards.failed > 0)
          throw new ClusterError(undefined, "a part of the index did not reply");
        return hits.hits;
      },
    },
    signal,
  );
  return hits
    .map(({ _id, _score }) => ({ rowId: Number(_id), similarity: similarityOf(_score) }))
    .filter(({ similarity }) => similarity >= minSimilarity)
    .sort((one, other) => other.similarity - one.similarity || one.rowId - other.rowId)
    .slice(0, limit);
}

/** Lucene has no negative scores: s + 1 represents a product s ≥ 0, and 1 / (1 − s) a negative one. */
function similarityOf(score: number): number {
  const similarity = score >= 1 ? score - 1 : 1 - 1 / score;
  return Math.round(similarity * resolution) / resolution;
}
