import {
  type NumericAttribute,
  numericAttribute,
  rangeOfMeasures,
  resolveRanges,
} from "../facets/numeric-attributes.ts";
import type { Languages } from "../language/language.ts";
import { maxWords, waysOfText } from "../query/plan-query.ts";
import type { Alternative, PlannedWord } from "../query/query-plan.ts";
import { readTokens } from "../query/read-word.ts";
import {
  createQueryPlanner,
  type DescribedReading,
  describeReading,
  type Reading,
  type ReadingQuestion,
  readText,
} from "../query/reading.ts";
import {
  createNameBonus,
  type NameBonus,
  needsRelated,
  type RankedQuery,
  rarestWords,
  roundScore,
  type WeighedReading,
  weighReading,
} from "../search/rank-hits.ts";
import type { NumberRange, SearchFilters, SearchQuery } from "../search/search-query.ts";
import { SegmentReader } from "../search/segment-reader.ts";
import { createSegmentBuilder } from "../segment/build/segment-builder.ts";
import { postingCount } from "../segment/postings.ts";
import { stringAt } from "../segment/string-table.ts";
import { readMeasure } from "../text/measure.ts";
import { internalsOfIndex, type TextIndex } from "../text-index.ts";
import { numberPrefix } from "./external-documents.ts";

/** One way to match a word of a query: all of these terms. */
export interface TermWay {
  readonly terms: readonly string[];
  /** At most 1. */
  readonly weight: number;
}

/** A word of a query in terms, for an engine that stores the data of `externalDocuments`. */
export interface TermWord {
  /** A document matches the word in any of these ways; if there are many, the most frequent terms come first. */
  readonly ways: readonly TermWay[];
  /** A document's points are the impact of the best way times this weight. */
  readonly weight: number;
  /** Other words only rank. */
  readonly isRequired: boolean;
}

/** What the engine is asked while a text is read: whether a document of the source has the key, or all words. */
export type TermQuestion =
  | Extract<ReadingQuestion, { kind: "key" }>
  | { readonly kind: "words"; readonly words: readonly TermWord[] };

/** What an engine finds for a text; see `Reading`. */
export interface TermReading extends Pick<Reading, "finds" | "key"> {
  readonly words: readonly TermWord[];
  /** The words by which documents are related. */
  readonly relatedWords: readonly TermWord[];
  /** Whether documents with some of the words are looked for. */
  needsRelated(limit: number, total: number): boolean;
  describe(): DescribedReading;
  /** Ranks the best hits again by their names. The others stay behind them. */
  rankByNames(hits: readonly NamedHit[]): number[];
}

export type TermSteps = Generator<TermQuestion, TermReading, boolean>;

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

/** The filters with ranges in base units, by the attributes of the index. */
export function withBounds(index: TextIndex, filters: SearchFilters): SearchFilters {
  return resolveRanges(internalsOfIndex(index).readers, filters);
}

/** The least and the greatest number of an attribute's values; undefined for an attribute that is text. */
export function rangeOf(
  index: TextIndex,
  name: string,
  source: number | undefined,
  values: Iterable<string>,
): NumberRange | undefined {
  const numeric = numericAttribute(internalsOfIndex(index).readers, name, source);
  return rangeOfMeasures(numeric, Array.from(values, readMeasure));
}

/** How an attribute's values are read as numbers, and how all keys of its numbers begin; undefined for an attribute that is text. */
export function numbersOf(
  index: TextIndex,
  name: string,
  source: number | undefined,
): (Pick<NumericAttribute, "dimension" | "factor"> & { readonly prefix: string }) | undefined {
  const numeric = numericAttribute(internalsOfIndex(index).readers, name, source);
  return numeric && { prefix: numberPrefix(name), dimension: numeric.dimension, factor: numeric.factor };
}

/** For each word of a filter's text: a document has it if it has one of these terms. */
export function filterTerms(index: TextIndex, text: string): string[][] {
  const { statistics, languages } = internalsOfIndex(index);
  return waysOfText(statistics, languages, text).map((ways) =>
    ways.flatMap((way) => ("term" in way ? way.term : [])),
  );
}

/**
 * Reads a text for another engine with the words that the index knows: as in the index, but the engine looks into its documents.
 * Filters, pages and facets are left to the engine.
 */
export function* readForEngine(
  index: TextIndex,
  { text, everyWord = false, asWritten }: SearchQuery,
  further: FurtherTerms = new Map(),
): TermSteps {
  const internals = internalsOfIndex(index);
  const { readers, statistics, languages } = internals;
  const documentsWith = (term: string) => statistics.documentsWith(term) || (further.get(term) ?? 0);
  const planner = createQueryPlanner(
    { languages, statistics: { ...statistics, documentsWith } },
    { asWritten },
  );
  const waysOf = findWays(readers);
  const steps = readText(planner, { text, everyWord });
  for (let step = steps.next(); ; ) {
    if (step.done) {
      const reading = weighReading(readers, step.value);
      const isKnown = (word: PlannedWord) => hasFurther(waysOf, word, further);
      return toTermReading(
        waysOf,
        reading,
        isKnown,
        (hits) => rankByNames(hits, { text, words: reading.words, thing: reading.thing, languages, readers }),
        readers,
      );
    }
    const question = step.value;
    step = steps.next(
      yield question.kind === "key"
        ? question
        : {
            kind: "words",
            words: question.words
              .filter(isRequired)
              .map((word) => toTermWord(waysOf, { ...word, weight: 1 })),
          },
    );
  }
}

function isRequired(word: PlannedWord): boolean {
  return word.isRequired;
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

function toTermWord(
  waysOf: WaysOf,
  { alternatives, weight, isRequired }: PlannedWord & { readonly weight: number },
): TermWord {
  return { ways: alternatives.flatMap(waysOf), weight, isRequired };
}

function toTermReading(
  waysOf: WaysOf,
  reading: WeighedReading,
  isFurther: (word: PlannedWord) => boolean,
  rank: TermReading["rankByNames"],
  readers: readonly SegmentReader[],
): TermReading {
  const { finds, key, words } = reading;
  // Documents that have the key need no other word that ranks.
  const ranking = words.filter(
    ({ isRequired, documents }) => isRequired || (key === undefined && documents > 0),
  );
  const [rarest] = rarestWords(words);
  const further = words.filter((word) => word.documents === 0 && isFurther(word));
  return {
    finds,
    key,
    words: ranking.map((word) => toTermWord(waysOf, word)),
    relatedWords: [...further, ...rarest].map((word) => toTermWord(waysOf, word)),
    needsRelated: (limit, total) => needsRelated(limit, reading, total),
    describe: () => describeReading(readers, reading),
    rankByNames: rank,
  };
}

/** Whether only the engine has the word. */
function hasFurther(waysOf: WaysOf, { alternatives }: PlannedWord, further: FurtherTerms): boolean {
  return alternatives
    .flatMap(waysOf)
    .some(({ terms }) => terms.every((term) => (further.get(term) ?? 0) > 0));
}

/** A hit of another engine, with the values that order equal hits. */
export interface NamedHit {
  readonly id: number;
  /** With its factor. */
  readonly score: number;
  /** By which rules multiply the score; undefined in a search without them. */
  readonly factor?: number | undefined;
  /** Whether it comes after all that do not. */
  readonly isLast?: boolean | undefined;
  readonly name: string;
  readonly language?: string | undefined;
  readonly quality: number;
  readonly tie: number;
}

export interface NameRules extends RankedQuery {
  readonly languages: Languages;
  /** Of the vocabulary, which has the names of most hits in the form that is needed. */
  readonly readers: readonly SegmentReader[];
}

/** The ids of the hits in the order that an index would give: the rules for names are the same. */
function rankByNames(hits: readonly NamedHit[], rules: NameRules): number[] {
  if (hits.length < 2 || rules.words.length === 0) return hits.map(({ id }) => id);
  const bonuses = knownBonuses(hits, rules);
  const unknown = hits.filter(({ id }) => !bonuses.has(id));
  if (unknown.length > 0) {
    for (const [id, bonus] of knownBonuses(unknown, {
      ...rules,
      readers: [readerOf(unknown, rules.languages)],
    }))
      bonuses.set(id, bonus);
  }
  return hits
    .map((hit) => ({ hit, score: scoreOf(hit, bonuses.get(hit.id) ?? 0) }))
    .sort((a, b) => lastOf(a.hit) - lastOf(b.hit) || b.score - a.score || compareTies(a.hit, b.hit))
    .map(({ hit }) => hit.id);
}

function lastOf({ isLast = false }: NamedHit): number {
  return isLast ? 1 : 0;
}

function scoreOf({ score, factor }: NamedHit, bonus: number): number {
  return factor === undefined ? score + bonus : roundScore(score + bonus * factor);
}

/** The bonus of each hit that a reader has, by its id. */
function knownBonuses(hits: readonly NamedHit[], { readers, ...query }: NameRules): Map<number, number> {
  const bonuses = new Map<number, number>();
  for (const reader of readers) {
    let bonusOf: NameBonus | undefined;
    for (const { id } of hits) {
      const doc = bonuses.has(id) ? undefined : reader.documentOf(id);
      if (doc === undefined) continue;
      bonusOf ??= createNameBonus(reader, query);
      bonuses.set(id, bonusOf(doc));
    }
  }
  return bonuses;
}

/** The order of documents in an index. */
function compareTies(a: NamedHit, b: NamedHit): number {
  return b.quality - a.quality || a.tie - b.tie || a.id - b.id;
}

/** An index of only these hits. */
function readerOf(hits: readonly NamedHit[], languages: Languages): SegmentReader {
  const builder = createSegmentBuilder({ phrases: false, languages });
  for (const { id, name, language, quality, tie } of hits) {
    const fields = { name, brand: "", store: "", description: "", category: "" };
    builder.add({
      id,
      tie,
      quality,
      fields,
      language,
      source: 0,
      priceMinor: 0,
      rating: 0,
      discount: 0,
      availability: 0,
    });
  }
  return new SegmentReader({ ...builder.build(), deletions: undefined, deletedCount: 0 }, undefined);
}
