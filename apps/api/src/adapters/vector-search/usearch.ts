import type { SimilarProduct, VectorQuery, VectorSearch } from "@product-search/core/ports/images.ts";
import type { Index } from "usearch";
import {
  type Delta,
  imagesPerKey,
  openDelta,
  openRemoved,
  type Removed,
  type VectorSegments,
  viewVectors,
} from "./vector-file.ts";

export interface UsearchVectorSearchSettings {
  /** Calls back with the newest segments at once, if there are any, and with all later ones. */
  subscribe(receive: (segments: VectorSegments) => void): void;
}

export interface UsearchVectorSearch extends VectorSearch {
  /** The sequence up to which searches see all changes of the vectors. */
  sequence(): number | undefined;
}

interface OpenSegments {
  model: string;
  dimensions: number;
  base: Index | undefined;
  delta: Delta;
  removed: Removed;
  typicalSimilarity: number;
}

/** Number of candidates taken from the base; more if removed products and several images of one product leave too few. */
const firstMatches = 128;
const maxMatches = 8192;
/** Half precision cannot distinguish smaller differences. */
const resolution = 5000;

/** Searches the published segments on this thread. */
export function createUsearchVectorSearch({ subscribe }: UsearchVectorSearchSettings): UsearchVectorSearch {
  let current: OpenSegments | undefined;
  subscribe(({ model, dimensions, base, delta, removed, typicalSimilarity }) => {
    current = {
      model,
      dimensions,
      base: base && viewVectors(base.path, dimensions),
      delta: openDelta(delta, dimensions),
      removed: openRemoved(removed),
      typicalSimilarity,
    };
  });
  return {
    model: () => current?.model,
    typicalSimilarity: () => current?.typicalSimilarity ?? 0,
    sequence: () => current?.delta.sequence(),
    search: async (query) => (current ? search(current, query) : []),
  };
}

function search(segments: OpenSegments, { vector, limit, minSimilarity }: VectorQuery): SimilarProduct[] {
  // usearch returns nonsense for such queries.
  if (vector.length !== segments.dimensions || !vector.every(Number.isFinite)) {
    throw new Error(`A query of ${vector.length} numbers does not fit vectors of ${segments.dimensions}.`);
  }
  // In half precision like the vectors, so that the same image has the same similarity in the base and in the delta.
  const query = { vector: new Float32Array(new Float16Array(vector)), limit, minSimilarity };
  const best = new Map<number, number>();
  const offer = (rowId: number, exact: number) => {
    const similarity = Math.round(exact * resolution) / resolution;
    if (similarity < minSimilarity || similarity <= (best.get(rowId) ?? -2)) return;
    best.set(rowId, similarity);
  };
  searchDelta(segments, query.vector, offer);
  if (segments.base) searchBase(segments.base, segments.removed, query, offer);
  return [...best]
    .map(([rowId, similarity]) => ({ rowId, similarity }))
    .sort((one, other) => other.similarity - one.similarity || one.rowId - other.rowId)
    .slice(0, limit);
}

type Offer = (rowId: number, similarity: number) => void;

function searchDelta({ delta, dimensions }: OpenSegments, vector: Float32Array, offer: Offer): void {
  const rows = delta.rows();
  for (let row = 0; row < rows; row++) {
    const rowId = delta.rowIdAt(row);
    if (rowId !== 0) offer(rowId, dot(delta.vectors, row * dimensions, vector));
  }
}

function searchBase(
  base: Index,
  removed: Removed,
  { vector, limit, minSimilarity }: VectorQuery,
  offer: Offer,
): void {
  const most = Math.min(base.size(), maxMatches);
  for (let wanted = Math.min(firstMatches, most); wanted > 0; wanted = Math.min(wanted * 4, most)) {
    const { keys, distances } = base.search(vector, wanted, 1);
    const products = new Set<number>();
    for (const [at, key] of keys.entries()) {
      const rowId = Number(key / BigInt(imagesPerKey));
      if (removed.has(rowId)) continue;
      products.add(rowId);
      offer(rowId, 1 - (distances[at] ?? 2));
    }
    const farthest = 1 - (distances.at(-1) ?? 2);
    if (products.size >= limit || farthest < minSimilarity || wanted === most) return;
  }
}

/** Unrolled by hand: four sums in parallel keep the CPU's units busy. */
function dot(vectors: Float32Array, start: number, query: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = query.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    a += (vectors[start + i] as number) * (query[i] as number);
    b += (vectors[start + i + 1] as number) * (query[i + 1] as number);
    c += (vectors[start + i + 2] as number) * (query[i + 2] as number);
    d += (vectors[start + i + 3] as number) * (query[i + 3] as number);
  }
  for (let i = whole; i < query.length; i++) a += (vectors[start + i] as number) * (query[i] as number);
  return a + b + c + d;
}
