import type { ProductImageStore } from "../../ports/product-image-store.ts";

/** Number of sampled products: about two thousand pairs. */
const sampled = 64;
/** Fewer vectors say nothing about a catalog. */
const minVectors = 20;
/** In a catalog of one kind of product all are similar; the minimum must not rise until only the same image is found. */
const maxVectors = 0.5;
const scanBatchSize = 2048;

/**
 * The typical similarity of two products of the catalog: the median over pairs of a sample spread over all row ids. It
 * depends much more on the model than on the catalog.
 */
export async function typicalSimilarity(
  store: Pick<ProductImageStore, "scan">,
  model: string,
  maxRowId: number | undefined,
): Promise<number> {
  const vectors = await sample(store, model, maxRowId);
  if (vectors.length < minVectors) return 0;
  const similarities: number[] = [];
  for (const [at, one] of vectors.entries()) {
    for (const other of vectors.slice(at + 1)) similarities.push(dot(one, other));
  }
  similarities.sort((one, other) => one - other);
  return Math.min(maxVectors, Math.max(0, similarities[similarities.length >> 1] ?? 0));
}

async function sample(
  store: Pick<ProductImageStore, "scan">,
  model: string,
  maxRowId: number | undefined,
): Promise<Float32Array[]> {
  if (maxRowId === undefined) {
    const products = await store.scan(model, 0, scanBatchSize);
    const step = Math.max(1, products.length / sampled);
    return products
      .filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
      .flatMap(firstVector);
  }
  const found = new Map<number, Float32Array[]>();
  for (let n = 0; n < sampled; n++) {
    const [product] = await store.scan(model, Math.floor((n * maxRowId) / sampled), 1);
    if (product) found.set(product.rowId, firstVector(product));
  }
  return [...found.values()].flat();
}

function firstVector({ vectors }: { vectors: Float32Array[] }): Float32Array[] {
  return vectors.slice(0, 1);
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
