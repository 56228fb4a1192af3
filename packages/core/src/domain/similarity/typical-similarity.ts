import type { ProductImageStore } from "../../ports/images.ts";
import { evidenceByCategory, majority, type SimilarInCategory } from "./agreeing-categories.ts";

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

/**
 * The minimum similarity, as a share of the way from the typical similarity to 1. Images below it show something else.
 * With the built-in model, 8 % of photographs find another kind of thing at 0.25 and 98 % still their own; at 0.2 it is
 * 19 and 99 %, at 0.3 3 and 94 %. With the small model alone it is 8 and 89 % at 0.2, and 3 and 71 % at 0.25.
 */
const similarityFloor = 0.25;
const smallModelFloor = 0.2;
/** As packages/vision names the small model. Joined with another encoder, it has another name. */
const smallModel = /^built-in-\d+-[0-9a-f]+$/;

/**
 * The minimum similarity for image search with this model in a catalog with this typical similarity. With the built-in
 * model, images of different kinds of things are hardly similar (0). With a learned encoder, any two images may have 0.5.
 */
export function floorAbove(typicalSimilarity: number, model: string | undefined): number {
  const share = model !== undefined && smallModel.test(model) ? smallModelFloor : similarityFloor;
  return typicalSimilarity + (1 - typicalSimilarity) * share;
}

/** What speaks for the name that the similar products give to an object. */
interface NameEvidence {
  /** The detector's confidence that the box contains exactly one object. */
  box: number;
  /** The category's share of the evidence of the most similar products. */
  share: number;
  /** How similar the best product of the category is: 0 is typical of any two products, 1 is the same image. */
  strength: number;
}

/**
 * Logistic regression of "box and name are right". The detector's confidence alone says only that the box holds one
 * object. Fitted to half of the trials on generated scenes, and judged on the
 * others.
 */
const weights = [-3, 0.74, 4.27, 2.5] as const;

/** The category that most of the similar products have, with the evidence for it; undefined if they do not agree. */
export function evidenceOfName(
  hits: readonly SimilarInCategory[],
  typicalSimilarity: number,
  box: number,
): { category: string; evidence: NameEvidence } | undefined {
  const evidence = evidenceByCategory(hits, typicalSimilarity);
  const [category, sum = 0] = evidence[0] ?? [];
  const share = sum / evidence.reduce((total, [, one]) => total + one, 0);
  if (category === undefined || !(share > majority)) return undefined;
  const best = hits.find((hit) => hit.category === category)?.similarity ?? 0;
  return {
    category,
    evidence: { box, share, strength: (best - typicalSimilarity) / (1 - typicalSimilarity) },
  };
}

/** The share of objects with this evidence whose box and name are right. */
export function nameConfidence(
  evidence: NameEvidence,
  [constant = 0, ...others]: readonly number[] = weights,
): number {
  const sum = inputsOf(evidence).reduce((total, input, at) => total + input * (others[at] ?? 0), constant);
  return 1 / (1 + Math.exp(-sum));
}

/** The inputs of the regression. Agreement counts for little where nothing is very similar. */
function inputsOf({ box, share, strength }: NameEvidence): number[] {
  return [Math.log((box + 0.01) / (1.01 - box)), share * strength, strength];
}
