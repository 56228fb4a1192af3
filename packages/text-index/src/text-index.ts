import { countFacets } from "./facets/count-facets.ts";
import { planFacets } from "./facets/facet-plan.ts";
import { english, type Language } from "./language/language.ts";
import { createVocabulary, type Vocabulary } from "./names/vocabulary.ts";
import { planQuery } from "./query/plan-query.ts";
import { widenPlan } from "./query/widen-plan.ts";
import type { WordStatistics } from "./query/word-statistics.ts";
import { findRelated } from "./search/find-related.ts";
import { createIndexStatistics } from "./search/index-statistics.ts";
import { type Demands, type Matched, matchEverything, matchKey, matchQuery } from "./search/match-query.ts";
import { Matching } from "./search/matching.ts";
import { type RankedHits, rankHits } from "./search/rank-hits.ts";
import type { SearchQuery, SearchResult, WordReading } from "./search/search-query.ts";
import { SegmentReader } from "./search/segment-reader.ts";
import type { WeighedWord } from "./search/weigh-words.ts";
import { keyNumber } from "./segment/exact-keys.ts";
import { hasPosting, noPostings } from "./segment/postings.ts";
import type { Snapshot } from "./segment/snapshot.ts";

/** One snapshot, opened on this thread for searching. Synchronous; what it finds never changes. */
export interface TextIndex {
  readonly sequence: number;
  readonly documents: number;
  search(query: SearchQuery): SearchResult;
  readonly vocabulary: Vocabulary;
}

/** With fewer hits than this, documents that lack a word match, too. When sorting by a column, one exact hit is worth more than many near ones. */
const ENOUGH_BY_RELEVANCE = 10;
const ENOUGH_BY_COLUMN = 1;

const readersOf = new WeakMap<TextIndex, readonly SegmentReader[]>();

/**
 * Opens a snapshot. Passing the index opened before reuses what both have in common, caches included; after that only
 * the newer one may be searched.
 */
export function openIndex(snapshot: Snapshot, former?: TextIndex, language: Language = english): TextIndex {
  const known = new Map((former && readersOf.get(former))?.map((reader) => [reader.segment.key, reader]));
  const readers = snapshot.segments.map((part) => new SegmentReader(part, known.get(part.key)));
  const statistics = createIndexStatistics(readers);
  const index: TextIndex = {
    sequence: snapshot.sequence,
    documents: readers.reduce((sum, reader) => sum + reader.liveDocuments, 0),
    search: (query) => search(readers, statistics, language, query),
    vocabulary: createVocabulary(readers),
  };
  readersOf.set(index, readers);
  return index;
}

function search(
  readers: readonly SegmentReader[],
  statistics: WordStatistics,
  language: Language,
  query: SearchQuery,
): SearchResult {
  const { text, filters = {}, sort = "relevance", facets, related = 0, everyWord = false } = query;
  const enough = sort === "relevance" ? ENOUGH_BY_RELEVANCE : ENOUGH_BY_COLUMN;
  const hasWords = text.trim() !== "";
  const facetPlan = planFacets(facets, filters, hasWords);
  const matching = new Matching(readers, filters, facetPlan.apart);
  const matched = hasWords
    ? matchText(matching, statistics, language, text, { enough, everyWord })
    : matchEverything(matching);
  const { best, ids, scores } = rankHits(readers, query, matched.words, matched.thing);
  const counted = countFacets(readers, facets, facetPlan);
  const lacking = matched.totalWithEveryWord === 0 ? best : undefined;
  return {
    ids,
    scores,
    total: matched.total,
    totalWithEveryWord: matched.totalWithEveryWord,
    correctedText: correctedText(matched.words),
    absentThing: matched.absentThing,
    words: matched.words.map((word) => describe(word, lacking)),
    facets: counted,
    relatedIds: related === 0 ? [] : findRelated(matching, matched, related),
  };
}

function matchText(
  matching: Matching,
  statistics: WordStatistics,
  language: Language,
  text: string,
  demands: Demands,
): Matched {
  const plan = planQuery(statistics, language, text);
  const key = keyNumber(text);
  if (key !== undefined && matching.countKeyed(key) > 0) return matchKey(matching, plan, key);
  return matchQuery(matching, plan, (narrow) => widenPlan(statistics, language, narrow), demands);
}

function correctedText(words: readonly WeighedWord[]): string | undefined {
  if (!words.some(({ as }) => as === "corrected" || as === "split")) return undefined;
  const read = words.map(({ as, word, used }) => (as === "completed" ? word : (used[0] ?? word)));
  // Two words that were joined into one both stand for it.
  return read.filter((word, i) => word !== read[i - 1]).join(" ");
}

function describe(word: WeighedWord, lacking: RankedHits["best"]): WordReading {
  const { word: typed, as, used } = word;
  if (lacking === undefined || as === "optional" || as === "unknown") return { word: typed, as, used };
  const list = word.lists[lacking.reader] ?? noPostings;
  return { word: typed, as: hasPosting(list, lacking.doc) ? as : "dropped", used };
}
