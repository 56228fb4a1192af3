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

/** The photographs to judge in each fold: those of one source, or all of them in folds by product. */
export function judgedFolds(
  photographs: readonly Photograph[],
  source: string | undefined,
  folds: number,
): number[][] {
  const all = [...photographs.keys()];
  if (source === undefined) {
    const dealt = foldsByProduct(photographs, folds);
    return Array.from({ length: folds }, (_, fold) => all.filter((i) => dealt[i] === fold));
  }
  const judged = all.filter((i) => photographs[i]?.source === source);
  if (judged.length > 0) return [judged];
  const sources = [...new Set(photographs.map((photograph) => photograph.source))];
  throw new Error(`There are no photographs of the source "${source}"; there are ${sources.join(", ")}.`);
}
