import type { Languages } from "../language/language.ts";
import { planAsWritten } from "../query/as-written.ts";
import { planInLanguages } from "../query/query-language.ts";
import { widenPlan } from "../query/widen-plan.ts";
import type { WordStatistics } from "../query/word-statistics.ts";
import type { Demands, QueryReader } from "./match-query.ts";
import type { SearchQuery } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { weighWords } from "./weigh-words.ts";

export interface IndexInternals {
  readonly readers: readonly SegmentReader[];
  readonly statistics: WordStatistics;
  readonly languages: Languages;
}

/**
 * With fewer hits than this, documents that lack a word match as well. When sorting by a column, one exact hit is
 * enough.
 */
const enoughByRelevance = 10;
const enoughByColumn = 1;

export function demandsOf({ text, sort = "relevance", everyWord = false }: SearchQuery): Demands {
  return { text, everyWord, enough: sort === "relevance" ? enoughByRelevance : enoughByColumn };
}

/** Reads queries with the words of an index. */
export function createQueryReader(
  { readers, statistics, languages }: IndexInternals,
  { asWritten = false }: Pick<SearchQuery, "asWritten"> = {},
): QueryReader {
  if (asWritten)
    return {
      plan: (text) => planAsWritten(planInLanguages(statistics, languages, text)),
      widen: () => undefined,
      weigh: (plan) => weighWords(readers, plan),
    };
  return {
    plan: (text) => planInLanguages(statistics, languages, text),
    widen: (plan) => widenPlan(statistics, plan),
    weigh: (plan) => weighWords(readers, plan),
  };
}
