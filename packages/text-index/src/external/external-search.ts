import { maxWords } from "../query/plan-query.ts";
import { waysOfText } from "../query/query-language.ts";
import type { Alternative, Relaxation, Unit } from "../query/query-plan.ts";
import { readTokens } from "../query/read-tokens.ts";
import { type DescribedMatches, describeMatched } from "../search/describe-matched.ts";
import { type Matched, type MatchStep, matchSteps, ranksOptional } from "../search/match-query.ts";
import { costPoints, fullMatchPoints } from "../search/matches/keep-matches.ts";
import { createQueryReader, demandsOf, type IndexInternals } from "../search/query-reader.ts";
import type { SearchQuery } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { WeighedWord } from "../search/weigh-words.ts";
import { postingCount } from "../segment/postings.ts";
import { stringAt } from "../segment/string-table.ts";
import { internalsOfIndex, type TextIndex } from "../text-index.ts";
import { type NamedHit, rankByNames } from "./rank-by-names.ts";

/** One way to match a word of a query: all of these terms. */
export interface TermWay {
  readonly terms: readonly string[];
  /** At most 1. */
  readonly weight: number;
}

/** A word of a query in terms, for an engine that stores the data of `externalDocuments`. */
export interface TermWord {
  /** Its index in the query. */
  readonly place: number;
  /** A document matches the word in any of these ways; if there are many, the most frequent terms come first. */
  readonly ways: readonly TermWay[];
  /** A document's points are the impact of the best way times this weight. */
  readonly weight: number;
  /** The cost of dropping the word; 0 for a word that is never required and only ranks. */
  readonly cost: number;
}

/** The next request to the engine. It replies with the number of documents; see `MatchStep`. */
export type TermStep =
  | Extract<MatchStep, { kind: "keyed" | "nothing" | "everything" }>
  | {
      readonly kind: "words";
      readonly words: readonly TermWord[];
      /** Documents with this key match too, and come first. */
      readonly key: string | undefined;
      /** Undefined if all words are required. Otherwise documents that reach the minimum cost match. */
      readonly share: TermShare | undefined;
    };

/** Which documents match that lack words, and their points besides those of their words. */
export interface TermShare extends Relaxation {
  readonly units: readonly Unit[];
  /** For each unit of cost that a document has. */
  readonly costPoints: number;
  /** For a document that has all units. */
  readonly fullMatchPoints: number;
}

/** The result of the steps. */
export interface TermResult {
  readonly total: number;
  /** The words by which documents may be related. */
  readonly words: readonly TermWord[];
  /** `firstHave`: whether one of the first hits has the word at that index; undefined without a hit. */
  describe(firstHave: ((place: number) => boolean) | undefined): DescribedMatches;
  /** Ranks the best hits again by their names. The others stay behind them. */
  rankByNames(hits: readonly NamedHit[]): number[];
}

export type TermSteps = Generator<TermStep, TermResult, number>;

/** How many documents of the engine have a term that the index lacks. */
export type FurtherTerms = ReadonlyMap<string, number>;

/** The terms of a query that the index does not know: the engine may have them in documents that the index lacks. */
export function unknownTerms(index: TextIndex, text: string): string[] {
  const { statistics, languages } = internalsOfIndex(index);
  const terms = languages.flatMap((language) =>
    readTokens(text, language)
      .slice(0, maxWords)
      .flatMap(({ words, groupTerms }) => [...words.map(language.termOf), ...groupTerms]),
  );
  return [...new Set(terms)].filter((term) => statistics.documentsWith(term) === 0);
}

/** For each word of a filter's text: a document has it if it has one of these terms. */
export function filterTerms(index: TextIndex, text: string): string[][] {
  const { statistics, languages } = internalsOfIndex(index);
  return waysOfText(statistics, languages, text).map((ways) =>
    ways.flatMap((way) => ("term" in way ? way.term : [])),
  );
}

/**
 * The steps of a search for documents in another engine. Words are read, dropped and weighted as in the index, with
 * the words that the index knows. Filters, pages and facets are left to the engine.
 */
export function* externalSteps(
  index: TextIndex,
  query: SearchQuery,
  further: FurtherTerms = new Map(),
): TermSteps {
  const internals = internalsOfIndex(index);
  const { readers, statistics } = internals;
  const documentsWith = (term: string) => statistics.documentsWith(term) || (further.get(term) ?? 0);
  const steps = matchSteps(
    createQueryReader({ ...internals, statistics: { ...statistics, documentsWith } }, query),
    demandsOf(query),
  );
  const waysOf = findWays(readers);
  for (let step = steps.next(); ; ) {
    if (step.done) return resultOf(internals, waysOf, query.text, further, step.value);
    step = steps.next(yield toTermStep(waysOf, step.value));
  }
}

type WaysOf = (alternative: Alternative) => readonly TermWay[];

/** The words that a prefix begins are looked up once for all steps. */
function findWays(readers: readonly SegmentReader[]): WaysOf {
  const completions = new Map<Alternative, readonly TermWay[]>();
  return (alternative) => {
    const { weight } = alternative;
    if ("terms" in alternative) return [{ terms: alternative.terms, weight }];
    if ("term" in alternative) return [{ terms: [alternative.term], weight }];
    const ways = completions.get(alternative) ?? completionsOf(readers, alternative);
    completions.set(alternative, ways);
    return ways;
  };
}

function completionsOf(readers: readonly SegmentReader[], alternative: Alternative): TermWay[] {
  const { weight } = alternative;
  const documents = new Map<string, number>();
  for (const reader of readers)
    for (const id of reader.termsOf([alternative])) {
      const term = stringAt(reader.segment.terms, id);
      documents.set(term, (documents.get(term) ?? 0) + postingCount(reader.postingsOfTerm(id)));
    }
  return [...documents].sort(([, a], [, b]) => b - a).map(([term]) => ({ terms: [term], weight }));
}

function toTermStep(waysOf: WaysOf, step: MatchStep): TermStep {
  if (step.kind !== "all" && step.kind !== "share") return step;
  const words = toTermWords(waysOf, step.words).filter(
    // The name of an attribute is optional and has no way to match.
    ({ place, cost, ways }) =>
      cost > 0 || (ways.length > 0 && ranksOptional(step) && step.words[place]?.as === "optional"),
  );
  if (step.kind === "all") return { kind: "words", words, key: step.key, share: undefined };
  const share = { ...step.relaxation, units: step.units, costPoints, fullMatchPoints };
  return { kind: "words", words, key: undefined, share };
}

function toTermWords(waysOf: WaysOf, words: readonly WeighedWord[]): TermWord[] {
  return words.map(({ alternatives, weight, cost }, place) => ({
    place,
    ways: alternatives.flatMap(waysOf),
    weight,
    cost,
  }));
}

function resultOf(
  { readers, languages }: IndexInternals,
  waysOf: WaysOf,
  text: string,
  further: FurtherTerms,
  matched: Matched,
): TermResult {
  const { words, thing } = matched;
  const isFurther = ({ terms }: TermWay) => terms.every((term) => (further.get(term) ?? 0) > 0);
  return {
    total: matched.total,
    words: toTermWords(waysOf, words).filter(
      ({ place, ways }) => (words[place]?.documents ?? 0) > 0 || ways.some(isFurther),
    ),
    describe: (firstHave) => describeMatched(readers, matched, firstHave && ((_, place) => firstHave(place))),
    rankByNames: (hits) => rankByNames(hits, { text, words, thing, languages, readers }),
  };
}
