/**
 * Increase it with every change that makes stored documents unusable: a new index is then built next to the old one.
 */
export const vectorLayoutVersion = 1;

/** A shard with more takes long to search and much memory on one node. */
export const imagesPerShard = 1_000_000;

export const vectorRefreshInterval = "500ms";

/**
 * One document per product with its images below it, so that a search finds the product by its best image. Vectors
 * have length 1, so the inner product is their similarity. The Lucene engine is part of every OpenSearch with the
 * k-NN plugin, and stores vectors in ordinary segments, which are copied and moved with the index.
 */
export function vectorLayout(dimensions: number) {
  return {
    settings: {
      knn: true,
      gc_deletes: "1h",
    },
    mappings: {
      dynamic: false,
      _source: { enabled: false },
      properties: {
        images: {
          type: "nested",
          properties: {
            vector: {
              type: "knn_vector",
              dimension: dimensions,
              method: { name: "hnsw", engine: "lucene", space_type: "innerproduct" },
            },
          },
        },
      },
    },
  };
}
