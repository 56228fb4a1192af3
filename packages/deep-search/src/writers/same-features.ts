/** Whether two descriptions list the same features, in any order: "A, b" and "B, a". */
export function sameFeatures(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && featuresIn(one) === featuresIn(other);
}

function featuresIn(quote: string): string {
  return quote
    .toLowerCase()
    .split(/, | and /u)
    .map((feature) => feature.replace(/[.;!]$/u, "").trim())
    .toSorted()
    .join();
}
