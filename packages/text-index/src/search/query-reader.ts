import type { Language, Languages } from "../language/language.ts";
import { planInLanguages } from "../query/query-language.ts";
import type { Alternative, PlannedWord, QueryPlan, WordStatistics } from "../query/query-plan.ts";
import { beginsFewWords, completionWeight } from "../query/read-word.ts";
import type { QueryPlanner } from "../query/reading.ts";
import { lastTerms, perhapsAThing, thingShare } from "../query/word-roles.ts";
import { isLevelTerm } from "../text/term.ts";
import type { SearchQuery } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

export interface IndexInternals {
  readonly readers: readonly SegmentReader[];
  readonly statistics: WordStatistics;
  readonly languages: Languages;
}

/** Reads queries with the words of an index. */
export function createQueryPlanner(
  { statistics, languages }: Pick<IndexInternals, "statistics" | "languages">,
  { asWritten = false }: Pick<SearchQuery, "asWritten"> = {},
): QueryPlanner {
  return {
    plan: (text) => {
      const plan = planInLanguages(statistics, languages, text);
      return asWritten ? planAsWritten(plan) : plan;
    },
    widen: (plan) => (asWritten ? undefined : widenPlan(statistics, plan)),
    isNamed: (word) => lastTerms(word).some((term) => statistics.timesNamed(term) > 0),
    isThing: (word) => thingShare(statistics, word) >= perhapsAThing || lastTerms(word).some(isLevelTerm),
    frequencyOf: ({ alternatives }) =>
      alternatives.reduce(
        (most, way) => ("term" in way ? Math.max(most, statistics.documentsWith(way.term)) : most),
        0,
      ),
  };
}

/**
 * The plan without the other ways to match a word that the catalog has: synonyms, its halves, its forms in other
 * languages. Their lists are long and must be united, which takes most of the time of a search.
 */
function planAsWritten(plan: QueryPlan): QueryPlan {
  return { ...plan, words: plan.words.map(withoutOthers) };
}

function withoutOthers(word: PlannedWord): PlannedWord {
  const [first, second] = word.alternatives;
  const isWritten = first !== undefined && "term" in first && first.weight === 1;
  return isWritten && second !== undefined ? { ...word, alternatives: [first] } : word;
}

/** The same query with its last word as a prefix; undefined if it begins no other word. */
function widenPlan(statistics: WordStatistics, plan: QueryPlan): QueryPlan | undefined {
  const { language, words } = plan;
  const last = words.at(-1);
  const more = last === undefined ? [] : completionOf(statistics, language, last);
  if (last === undefined || more.length === 0) return undefined;
  const wider = { ...last, alternatives: [...last.alternatives, ...more] };
  return { ...plan, words: [...words.slice(0, -1), wider] };
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
