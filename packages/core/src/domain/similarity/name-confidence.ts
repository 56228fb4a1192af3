import { evidenceByCategory, majority, type SimilarInCategory } from "./agreeing-categories.ts";

/** What speaks for the name that the similar products give to an object. */
export interface NameEvidence {
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
export function inputsOf({ box, share, strength }: NameEvidence): number[] {
  return [Math.log((box + 0.01) / (1.01 - box)), share * strength, strength];
}
