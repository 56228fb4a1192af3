export interface SimilarProduct {
  rowId: number;
  /** The dot product of the best of its images with the query: 1 for the same image. */
  similarity: number;
}

export interface VectorQuery {
  vector: Float32Array;
  limit: number;
  /** Products below it are left out. */
  minSimilarity: number;
}

/** Lookup of products by how much their images look like one. */
export interface VectorSearch {
  /** The model whose vectors are searched, undefined before there is an index. Queries are to be vectors of it. */
  model(): string | undefined;
  /** How alike two products of the catalog typically are, 0 before there are any: it says what a similarity means. */
  typicalSimilarity(): number;
  /** Best first, one entry a product, the lower number first among equals. */
  search(query: VectorQuery, signal?: AbortSignal): Promise<SimilarProduct[]>;
}
