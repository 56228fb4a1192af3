import { columnKind, facetColumn, noCounts } from "./facets/facet-column.ts";
import type { FacetPlan } from "./facets/facet-plan.ts";
import { planFacets } from "./facets/facet-plan.ts";
import type { AllCounts } from "./facets/facet-rows.ts";
import { countRows } from "./facets/facet-rows.ts";
import { liveTotals } from "./facets/live-totals.ts";
import { nameAt } from "./facets/segment-names.ts";
import { countsOfTerm } from "./facets/term-counts.ts";
import { valueClassCount } from "./facets/value-classes.ts";
import { priceRanges, ratingRanges } from "./facets/value-ranges.ts";
import { english, type Languages } from "./language/language.ts";
import { createVocabulary, type Vocabulary } from "./names/vocabulary.ts";
import { termInCatalog, waysOfText } from "./query/query-language.ts";
import { describeMatched } from "./search/describe-matched.ts";
import { candidates, createFilter } from "./search/filter.ts";
import { createIndexStatistics } from "./search/index-statistics.ts";
import {
  type Matched,
  type MatchStep,
  type MatchSteps,
  matchSteps,
  ranksOptional,
} from "./search/match-query.ts";
import { addScores, unite } from "./search/matches/join-postings.ts";
import { keepUnmarked } from "./search/matches/keep-matches.ts";
import { clear, settle } from "./search/matches/matches.ts";
import { Matching } from "./search/matching.ts";
import { createQueryReader, demandsOf, type IndexInternals } from "./search/query-reader.ts";
import { rankHits, rerankedHits } from "./search/rank-hits.ts";
import type {
  FacetKind,
  FacetRequest,
  Facets,
  FacetValue,
  RangeKind,
  SearchFilters,
  SearchQuery,
  SearchResult,
} from "./search/search-query.ts";
import { SegmentReader } from "./search/segment-reader.ts";
import type { WeighedWord } from "./search/weigh-words.ts";
import { isDeleted } from "./segment/deletions.ts";
import { queryKey } from "./segment/exact-keys.ts";
import { hasPosting, noPostings, postingCount } from "./segment/postings.ts";
import type { Segment } from "./segment/segment.ts";
import type { NameKind } from "./segment/segment-tables.ts";
import type { Snapshot } from "./segment/snapshot.ts";
import { compareCodePoints, indexOfString } from "./segment/string-table.ts";
import { Suggester, type Suggestions, type SuggestQuery } from "./suggest/suggest.ts";

const maxImpact = 255;

/** The counts of one segment. Several facets are counted in one pass over its matches. */
class CountedSegment {
  readonly segment: SegmentReader["segment"];
  readonly #reader: SegmentReader;
  readonly #plan: FacetPlan;
  readonly #together: AllCounts | undefined;

  constructor(reader: SegmentReader, of: readonly FacetKind[], plan: FacetPlan) {
    this.segment = reader.segment;
    this.#reader = reader;
    this.#plan = plan;
    if (of.length > 1) this.#together = countTogether(reader, plan.source);
    if (of.length > 0 && this.#together === undefined) settle(reader.state.matches);
  }

  /** A copy of the counts, which the caller may change. */
  countsOf(kind: FacetKind): Uint32Array {
    const { segment } = this;
    if (kind === this.#plan.whole) return liveTotals(this.#reader, kind, this.#plan.source);
    const other = this.#plan.byOther.get(kind);
    if (other !== undefined) return countFiltered(this.#reader, kind, other).slice();
    const { matches, nearMisses, unfiltered } = this.#reader.state;
    if (unfiltered?.kind === kind) return unfiltered.counts[columnKind(kind)].slice();
    const counts = this.#together?.[columnKind(kind)].slice() ?? noCounts(segment, kind);
    const column = facetColumn(segment, kind);
    if (this.#together === undefined) countNumbers(counts, column, matches.docs, matches.count);
    const missed = nearMisses.get(kind);
    if (missed !== undefined) countNumbers(counts, column, missed, missed.length);
    return counts;
  }
}

/** One snapshot, opened on this thread for searching. Synchronous; its results never change. */
export interface TextIndex {
  readonly sequence: number;
  readonly documents: number;
  search(query: SearchQuery): SearchResult;
  suggest(query: SuggestQuery): Suggestions;
  readonly vocabulary: Vocabulary;
}

const internalsOf = new WeakMap<TextIndex, IndexInternals>();

/** The parts of an open index, for the modules that use its words for other engines. */
export function internalsOfIndex(index: TextIndex): IndexInternals {
  const internals = internalsOf.get(index);
  if (internals === undefined) throw new Error("This index was not opened by openIndex.");
  return internals;
}

/**
 * Opens a snapshot. If the former index is passed, common data and caches are reused. After that, only the new one
 * may be searched. `languages` must be those with which the snapshot was built, in the same order.
 */
export function openIndex(
  snapshot: Snapshot,
  former?: TextIndex,
  languages: Languages = [english],
): TextIndex {
  const known = new Map(
    (former && internalsOf.get(former))?.readers.map((reader) => [reader.segment.key, reader]),
  );
  const readers = snapshot.segments.map((part) => new SegmentReader(part, known.get(part.key)));
  const statistics = createIndexStatistics(readers);
  const internals = { readers, statistics, languages };
  const find = (query: SearchQuery) => search(internals, query);
  const suggester = new Suggester(readers, (word) => termInCatalog(statistics, languages, word), {
    search: find,
    findsAll: (text, source) => findsAll(internals, text, source),
  });
  const index: TextIndex = {
    sequence: snapshot.sequence,
    documents: readers.reduce((sum, reader) => sum + reader.liveDocuments, 0),
    search: find,
    suggest: (query) => suggester.suggest(query),
    vocabulary: createVocabulary(internals),
  };
  internalsOf.set(index, internals);
  return index;
}

function search(internals: IndexInternals, query: SearchQuery): SearchResult {
  const { readers, statistics, languages } = internals;
  const { text, filters = {}, facets, related = 0 } = query;
  const facetPlan = planFacets(facets, filters, text.trim() !== "");
  const matching = new Matching(readers, filters, facetPlan.apart, (filter) =>
    waysOfText(statistics, languages, filter),
  );
  const matched = runSteps(matching, matchSteps(createQueryReader(internals, query), demandsOf(query)));
  const { best, ids, scores } = rankHits(readers, query, matched.words, matched.thing);
  const counted = countFacets(readers, facets, facetPlan);
  return {
    ids,
    scores,
    ...describeMatched(matched, best && ((word) => hasWord(word, best))),
    facets: counted,
    relatedIds: related === 0 ? [] : findRelated(matching, matched, related),
  };
}

/**
 * Whether a search for a text finds the documents with all its words, without searching. It does not if the catalog seems to
 * lack the thing ("lamp floor"), unless the text is a key.
 */
function findsAll(internals: IndexInternals, text: string, source: number | undefined): boolean {
  // Another language may read the words as other terms: then only a search can tell.
  if (internals.languages.length > 1)
    return search(internals, { text, filters: { source }, offset: 0, limit: 1 }).total > 0;
  if (createQueryReader(internals).plan(text).absentThing === undefined) return true;
  const key = queryKey(text);
  return key !== undefined && internals.readers.some((reader) => reader.documentsWithKey(key).length > 0);
}

function runSteps(matching: Matching, steps: MatchSteps): Matched {
  for (let step = steps.next(), last: MatchStep | undefined; ; ) {
    if (step.done) {
      if (last !== undefined && ranksOptional(last)) matching.addOptional(step.value.words);
      return step.value;
    }
    last = step.value;
    step = steps.next(matching.run(last));
  }
}

function hasWord({ lists }: WeighedWord, best: { readonly reader: number; readonly doc: number }): boolean {
  return hasPosting(lists[best.reader] ?? noPostings, best.doc);
}

/** Counts the requested facets over the matches in the readers' scratch space. */
function countFacets(
  readers: readonly SegmentReader[],
  request: FacetRequest | undefined,
  plan: FacetPlan,
): Facets {
  const { of, limit } = request ?? { of: [], limit: 0 };
  const counted = readers.map((reader) => new CountedSegment(reader, of, plan));
  const names = (kind: NameKind) =>
    of.includes(kind)
      ? maxFrequentNames(
          counted.map((one) => ({ segment: one.segment, counts: one.countsOf(kind) })),
          kind,
          limit,
        )
      : [];
  const values = (kind: RangeKind) => addUp(counted.map((one) => one.countsOf(kind)));
  return {
    brands: names("brands"),
    categories: names("categories"),
    stores: names("stores"),
    price: of.includes("price") ? priceRanges(values("price")) : [],
    rating: of.includes("rating") ? ratingRanges(values("rating")) : [],
  };
}

function countTogether(reader: SegmentReader, source: number | undefined): AllCounts | undefined {
  const { matches } = reader.state;
  const known = countsOfTerm(reader, source);
  if (known !== undefined) return known;
  settle(matches);
  return countRows(reader.segment, matches.docs, matches.count);
}

function addUp(counted: readonly Uint32Array[]): Float64Array {
  const sums = new Float64Array(valueClassCount);
  for (const counts of counted)
    for (let number = 0; number < counts.length; number++)
      sums[number] = (sums[number] ?? 0) + (counts[number] ?? 0);
  return sums;
}

/**
 * A facet's counts over the documents that pass one filter: names, prices or a rating. Those of the last filters are kept
 * as long as the snapshot: users choose one value after the other.
 */
function countFiltered(reader: SegmentReader, kind: FacetKind, filters: SearchFilters): Uint32Array {
  const { filterCounts } = reader.hidden(filters.source);
  return filterCounts.get(JSON.stringify([kind, filters]), () => count(reader, kind, filters));
}

/** Reads the documents of the names, or all, in one pass. */
function count(reader: SegmentReader, kind: FacetKind, filters: SearchFilters): Uint32Array {
  const counts = noCounts(reader.segment, kind);
  const column = facetColumn(reader.segment, kind);
  const filter = createFilter(reader, filters, [], () => []);
  const few = candidates(filter);
  if (few === undefined) countRange(reader, filters, counts, column);
  else
    for (const doc of few) {
      if (filter.hidden.has(doc)) continue;
      const number = column[doc] ?? 0;
      counts[number] = (counts[number] ?? 0) + 1;
    }
  return counts;
}

/** An inner loop: plain indexing, no closures, no allocation. */
function countRange(
  reader: SegmentReader,
  { source, minPriceMinor, maxPriceMinor, minRating }: SearchFilters,
  counts: Uint32Array,
  column: Uint32Array,
): void {
  const { prices, ratings } = reader.segment.sections;
  const { marks } = reader.hidden(source);
  const values = minRating === undefined ? prices : ratings;
  const least =
    minRating === undefined ? (minPriceMinor ?? Number.NEGATIVE_INFINITY) : Math.fround(minRating);
  const most = maxPriceMinor ?? Number.POSITIVE_INFINITY;
  for (let doc = 0; doc < values.length; doc++) {
    const value = values[doc] ?? 0;
    if (value < least || value > most) continue;
    if (marks !== undefined && isDeleted(marks, doc)) continue;
    const number = column[doc] ?? 0;
    counts[number] = (counts[number] ?? 0) + 1;
  }
}

/** How often each number occurs in a column at these documents. Plain indexing, no closures: an inner loop. */
function countNumbers(counts: Uint32Array, column: Uint32Array, docs: Uint32Array, documents: number): void {
  for (let i = 0; i < documents; i++) {
    const number = column[docs[i] ?? 0] ?? 0;
    counts[number] = (counts[number] ?? 0) + 1;
  }
}

/** For each name, the number of documents of a segment with it. */
interface NameCounts {
  readonly segment: Segment;
  readonly counts: Uint32Array;
}

/**
 * The `limit` most frequent names over all segments, equal counts by name. Empty names are left out. Only the returned names
 * and those of the smaller segments are decoded, because there may be thousands of names.
 */
function maxFrequentNames(
  [first, ...others]: readonly NameCounts[],
  kind: NameKind,
  limit: number,
): FacetValue[] {
  if (first === undefined || limit === 0) return [];
  const further = new Map<string, number>();
  for (const other of others) {
    other.counts.forEach((documents, index) => {
      if (documents === 0) return;
      const name = nameAt(other.segment, kind, index);
      const place = indexOfString(first.segment[kind], name);
      if (place < 0) further.set(name, (further.get(name) ?? 0) + documents);
      else first.counts[place] = (first.counts[place] ?? 0) + documents;
    });
  }
  const values = maxFrequent(first.counts, limit + 1).map((index) => ({
    name: nameAt(first.segment, kind, index),
    documents: first.counts[index] ?? 0,
  }));
  for (const [name, documents] of further) values.push({ name, documents });
  values.sort((a, b) => b.documents - a.documents || compareCodePoints(a.name, b.name));
  return values.filter(({ name }) => name !== "").slice(0, limit);
}

/** The indices of the largest counts, largest first; equal counts by index. */
function maxFrequent(counts: Uint32Array, limit: number): number[] {
  const best: number[] = [];
  let floor = 0;
  for (let index = 0; index < counts.length; index++) {
    const count = counts[index] ?? 0;
    if (count <= floor) continue;
    let at = best.length;
    while (at > 0 && (counts[best[at - 1] ?? 0] ?? 0) < count) at--;
    best.splice(at, 0, index);
    if (best.length > limit) best.pop();
    if (best.length === limit) floor = counts[best.at(-1) ?? 0] ?? 0;
  }
  return best;
}

/**
 * The best documents that have only some of the words and are not among the matches. The matches must still be in the
 * readers' scratch space; the result replaces them there.
 */
function findRelated(search: Matching, { words, thing }: Matched, limit: number): number[] {
  const marks = search.readers.map(markMatches);
  const known = words.filter(({ documents }) => documents > 0);
  search.readers.forEach((reader, i) => {
    // Only documents that can be a result raise the floor: those of the filters, without the matches.
    const keepEligible = () => {
      search.filter(i);
      keepUnmarked(reader.state.matches, marks[i] ?? new Uint8Array());
    };
    loadAnyWord(reader, i, known, Math.max(limit, rerankedHits), keepEligible);
  });
  const page = { text: "", offset: 0, limit } as const;
  return rankHits(search.readers, page, words, thing).ids;
}

function markMatches({ state: { matches }, segment }: SegmentReader): Uint8Array {
  settle(matches);
  const marked = new Uint8Array(segment.documents);
  for (let i = 0; i < matches.count; i++) marked[matches.docs[i] ?? 0] = 1;
  return marked;
}

/**
 * Joins the lists of the words, starting with the one that can give most points, until a document without any of
 * those words can no longer be among the best. The remaining, longest lists are only looked up (MaxScore: H. Turtle,
 * J. Flood, "Query evaluation: strategies and optimizations", 1995).
 */
function loadAnyWord(
  reader: SegmentReader,
  place: number,
  words: readonly WeighedWord[],
  best: number,
  keepEligible: () => void,
): void {
  const { matches } = reader.state;
  const lists = words
    .map(({ lists, weight }) => ({ list: lists[place] ?? noPostings, weight }))
    .toSorted((a, b) => b.weight - a.weight || postingCount(a.list) - postingCount(b.list));
  clear(matches);
  lists.forEach(({ list, weight }, i) => {
    const reachable = lists.slice(i).reduce((sum, other) => sum + other.weight * maxImpact, 0);
    if (reachable > floorOf(reader, best)) {
      unite(matches, list, weight, 1);
      keepEligible();
    } else addScores(matches, list, weight, 1);
  });
}

/** The score that at least this many documents reach; 0 if there are fewer. */
function floorOf({ state: { matches, top } }: SegmentReader, best: number): number {
  if (matches.count < best) return 0;
  top.start(best, matches.count);
  top.offerScores(matches, 1);
  top.finish();
  return top.primary.subarray(0, top.count).reduce((least, score) => Math.min(least, score), Infinity);
}
