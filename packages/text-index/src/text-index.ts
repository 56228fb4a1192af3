import { countFacets } from "./facets/count-facets.ts";
import { planFacets } from "./facets/facet-plan.ts";
import { english, type Languages } from "./language/language.ts";
import { createVocabulary, type Vocabulary } from "./names/vocabulary.ts";
import { termInCatalog, waysOfText } from "./query/query-language.ts";
import { describeMatched } from "./search/describe-matched.ts";
import { findRelated } from "./search/find-related.ts";
import { createIndexStatistics } from "./search/index-statistics.ts";
import {
  type Matched,
  type MatchStep,
  type MatchSteps,
  matchSteps,
  ranksOptional,
} from "./search/match-query.ts";
import { Matching } from "./search/matching.ts";
import { createQueryReader, demandsOf, type IndexInternals } from "./search/query-reader.ts";
import { rankHits } from "./search/rank-hits.ts";
import type { SearchQuery, SearchResult } from "./search/search-query.ts";
import { SegmentReader } from "./search/segment-reader.ts";
import type { WeighedWord } from "./search/weigh-words.ts";
import { queryKey } from "./segment/exact-keys.ts";
import { hasPosting, noPostings } from "./segment/postings.ts";
import type { Snapshot } from "./segment/snapshot.ts";
import { Suggester, type Suggestions, type SuggestQuery } from "./suggest/suggest.ts";

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
