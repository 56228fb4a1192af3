import type { Photograph } from "../train/photographs.ts";

/**
 * Deals photographs into folds so that all images of one product share a fold; a photograph whose product is unknown
 * stands for itself. Products are dealt in turn, so that every fold holds some of each set.
 */
export function foldsByProduct(photographs: readonly Photograph[], folds: number): number[] {
  const dealt = new Map<string, number>();
  return photographs.map(({ product, path }) => {
    const key = product === "" ? path : product;
    const fold = dealt.get(key) ?? dealt.size % folds;
    dealt.set(key, fold);
    return fold;
  });
}
