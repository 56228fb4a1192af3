import type { PlannedWord, QueryPlan } from "./query-plan.ts";

/**
 * The plan without the other ways to match a word that the catalog has: synonyms, its halves, its forms in other
 * languages. Their lists are long and must be united, which takes most of the time of a search.
 */
export function planAsWritten(plan: QueryPlan): QueryPlan {
  return { ...plan, words: plan.words.map(withoutOthers) };
}

function withoutOthers(word: PlannedWord): PlannedWord {
  const [first, second] = word.alternatives;
  const isWritten = first !== undefined && "term" in first && first.weight === 1;
  return isWritten && second !== undefined ? { ...word, alternatives: [first] } : word;
}
