import type { Language, Languages } from "../language/language.ts";
import { planInLanguages } from "../query/query-language.ts";
import type { Alternative, PlannedWord, QueryPlan } from "../query/query-plan.ts";
import { beginsFewWords, completionWeight } from "../query/read-word.ts";
import { frequentNeighbour } from "../query/spell.ts";
import type { WordStatistics } from "../query/word-statistics.ts";
import type { Demands, QueryReader } from "./match-query.ts";
import type { SearchQuery } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { weighWords } from "./weigh-words.ts";

// A correctly written word ranks first.
const slipWeight = 0.8;

export interface IndexInternals {
  readonly readers: readonly SegmentReader[];
  readonly statistics: WordStatistics;
  readonly languages: Languages;
}

/**
 * With fewer hits than this, documents that lack a word match as well: a first page is then full. When sorting by a column,
 * one exact hit is enough.
 */
const enoughByRelevance = 20;
const enoughByColumn = 1;

/** With fewer matches that have every word, documents with any of the words are returned as related. */
const enoughFullMatches = 10;
/** Nobody looks behind so many matches, even if they have only a part of the words. */
const enoughMatches = 100;

/** Whether documents that have any of the words are returned as well, if related ones are requested. */
export function needsRelated(matches: {
  readonly total: number;
  readonly totalWithEveryWord: number;
}): boolean {
  return matches.totalWithEveryWord < enoughFullMatches && matches.total < enoughMatches;
}

export function demandsOf({
  text,
  sort = "relevance",
  order = "desc",
  everyWord = false,
}: SearchQuery): Demands {
  const byRelevance = sort === "relevance" && order === "desc";
  return { text, everyWord, byRelevance, enough: byRelevance ? enoughByRelevance : enoughByColumn };
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

/**
 * The same query with more ways to match its words, for queries that find little: its last word may be a prefix, and rare
 * words may be misspellings of frequent ones. Undefined if there are no such ways.
 */
function widenPlan(statistics: WordStatistics, plan: QueryPlan): QueryPlan | undefined {
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
