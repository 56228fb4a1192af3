import type { Photograph } from "../train/photographs.ts";

/**
 * Splits photographs into folds so that all images of one product are in the same fold; a photograph of an unknown product
 * counts as a product of its own. Products are distributed in turn, so that every fold has some of each set.
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
