import { keepAgreeing } from "@product-search/core/domain/similarity/agreeing-categories.ts";
import { floorAbove } from "@product-search/core/domain/similarity/similarity-floor.ts";

/** One described image of a product. */
export interface CatalogImage {
  readonly product: string;
  readonly category: string | undefined;
  /** What its name says it is, if it has one. */
  readonly kind?: string | undefined;
  readonly vector: Float32Array;
}

export interface Alike {
  readonly product: string;
  readonly category: string | undefined;
  readonly kind: string | undefined;
  readonly similarity: number;
}

const maxProducts = 50;
const maxCandidates = 100;
const sampled = 64;

/** The median similarity of the first images of products spread over the catalog, as the service measures it. */
export function typicalOf(images: readonly CatalogImage[]): number {
  const firsts = [...new Map(images.toReversed().map((image) => [image.product, image])).values()];
  const step = Math.max(1, firsts.length / sampled);
  const chosen = Array.from(
    { length: Math.min(sampled, firsts.length) },
    (_, at) => firsts[Math.floor(at * step)],
  );
  const similarities = chosen.flatMap((one, at) =>
    chosen.slice(at + 1).map((other) => dot(one?.vector, other?.vector)),
  );
  similarities.sort((one, other) => one - other);
  return Math.min(0.5, Math.max(0, similarities[similarities.length >> 1] ?? 0));
}

/** What image search returns: by the threshold alone, and with products of other kinds left out. */
export function searchAlike(
  images: readonly CatalogImage[],
  vector: Float32Array,
  typical: number,
): { byThreshold: Alike[]; agreeing: Alike[] } {
  const best = new Map<string, Alike>();
  for (const { product, category, kind, vector: other } of images) {
    const similarity = dot(vector, other);
    if (similarity > (best.get(product)?.similarity ?? floorAbove(typical, undefined)))
      best.set(product, { product, category, kind, similarity });
  }
  const hits = [...best.values()].sort((one, other) => other.similarity - one.similarity);
  return {
    byThreshold: hits.slice(0, maxProducts),
    agreeing: keepAgreeing(hits.slice(0, maxCandidates), typical).slice(0, maxProducts),
  };
}

export function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (one === undefined || other === undefined) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** How much of what is returned is right, and how much of what could be returned is. */
export function precisionAndRecall(
  returned: readonly Alike[],
  isRight: (hit: Alike) => boolean,
  right: number,
): { precision: number | undefined; recall: number } {
  const found = returned.filter(isRight).length;
  return {
    precision: returned.length === 0 ? undefined : found / returned.length,
    recall: found / Math.min(maxProducts, right),
  };
}
