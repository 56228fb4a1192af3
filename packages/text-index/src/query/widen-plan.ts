import type { Language } from "../language/language.ts";
import { termOf } from "../text/term.ts";
import type { Alternative, PlannedWord, QueryPlan } from "./query-plan.ts";
import { COMPLETION_WEIGHT, MIN_PREFIX_LENGTH } from "./read-word.ts";
import { frequentNeighbour } from "./spell.ts";
import type { WordStatistics } from "./word-statistics.ts";

// What is written correctly comes first.
const SLIP_WEIGHT = 0.8;

/**
 * The same query with more ways to have its words, for when they find little: its last word may be the beginning of longer
 * ones, and rare words may be slips of frequent ones. Undefined when there are no such ways.
 */
export function widenPlan(
  statistics: WordStatistics,
  language: Language,
  plan: QueryPlan,
): QueryPlan | undefined {
  const words = plan.words.map((word, i) => {
    const more = [
      ...slipOf(statistics, language, word),
      ...(i === plan.words.length - 1 ? completionOf(statistics, word) : []),
    ];
    return more.length === 0 ? word : { ...word, alternatives: [...word.alternatives, ...more] };
  });
  return words.every((word, i) => word === plan.words[i]) ? undefined : { ...plan, words };
}

function slipOf(statistics: WordStatistics, language: Language, { word, as }: PlannedWord): Alternative[] {
  const frequent = as === "matched" ? frequentNeighbour(statistics, language.dictionary, word) : undefined;
  return frequent === undefined ? [] : [{ term: termOf(frequent), weight: SLIP_WEIGHT }];
}

function completionOf(statistics: WordStatistics, { word, as }: PlannedWord): Alternative[] {
  const canBegin = as === "matched" && word.length >= MIN_PREFIX_LENGTH;
  // Most words begin no other word: to look for those again would find the same.
  return canBegin && statistics.prefixAddsTerms(word, termOf(word))
    ? [{ prefix: word, weight: COMPLETION_WEIGHT }]
    : [];
}
