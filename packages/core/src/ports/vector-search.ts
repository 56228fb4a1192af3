export interface SimilarProduct {
  rowId: number;
  /** The dot product of its most similar image and the query: 1 for the same image. */
  similarity: number;
}

export interface VectorQuery {
  vector: Float32Array;
  limit: number;
  /** Products with a lower similarity are left out. */
  minSimilarity: number;
}

/** Finds products with similar images. */
export interface VectorSearch {
  /**
   * The model whose vectors are searched; undefined before there is an index. Queries must be vectors of this model.
   */
  model(): string | undefined;
  /** The typical similarity of two products of the catalog; 0 before there are any. Similarities are judged by it. */
  typicalSimilarity(): number;
  /** Best first, one entry per product; equal similarities by row id. */
  search(query: VectorQuery, signal?: AbortSignal): Promise<SimilarProduct[]>;
}
