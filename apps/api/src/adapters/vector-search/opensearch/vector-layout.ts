/** Raise it with every change that makes kept documents useless: a new index is then built beside the old one. */
export const vectorLayoutVersion = 1;

export const vectorRefreshInterval = "500ms";

/**
 * One document a product, its images below it: a search gives the product by its best image. Vectors have length 1, so
 * the inner product is how alike they are. The engine of Lucene is part of every OpenSearch with the k-NN plugin, and keeps
 * vectors in ordinary segments: they are copied and moved with these.
 */
export function vectorLayout(dimensions: number, shards = 1) {
  return {
    settings: {
      knn: true,
      number_of_shards: shards,
      auto_expand_replicas: "0-1",
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
