import type { Language } from "../language/language.ts";
import type { Alternative, PlannedWord, QueryPlan } from "./query-plan.ts";
import { beginsFewWords, completionWeight } from "./read-word.ts";
import { frequentNeighbour } from "./spell.ts";
import type { WordStatistics } from "./word-statistics.ts";

// A correctly written word ranks first.
const slipWeight = 0.8;

/**
 * The same query with more ways to match its words, for queries that find little: its last word may be a prefix, and rare
 * words may be misspellings of frequent ones. Undefined if there are no such ways.
 */
export function widenPlan(statistics: WordStatistics, plan: QueryPlan): QueryPlan | undefined {
  const { language } = plan;
  const words = plan.words.map((word, i) => {
    const more = [
      ...slipOf(statistics, language, word),
      ...(i === plan.words.length - 1 ? completionOf(statistics, language, word) : []),
    ];
    return more.length === 0 ? word : { ...word, alternatives: [...word.alternatives, ...more] };
  });
  return words.every((word, i) => word === plan.words[i]) ? undefined : { ...plan, words };
}

function slipOf(statistics: WordStatistics, language: Language, { word, as }: PlannedWord): Alternative[] {
  const frequent = as === "matched" ? frequentNeighbour(statistics, language, word) : undefined;
  return frequent === undefined ? [] : [{ term: language.termOf(frequent), weight: slipWeight }];
}

function completionOf(
  statistics: WordStatistics,
  { termOf }: Language,
  { word, as }: PlannedWord,
): Alternative[] {
  const canBegin = as === "matched" && beginsFewWords(statistics, word);
  // Most words begin no other word. Searching for those again would find the same.
  return canBegin && statistics.prefixAddsTerms(word, termOf(word))
    ? [{ prefix: word, weight: completionWeight }]
    : [];
}
