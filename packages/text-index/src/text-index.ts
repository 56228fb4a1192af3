import { countFacets } from "./facets/count-facets.ts";
import { planFacets } from "./facets/facet-plan.ts";
import { createVocabulary, type Vocabulary } from "./names/vocabulary.ts";
import { readQuery } from "./query/read-query.ts";
import { matchQuery } from "./search/match-query.ts";
import { type RankedHits, rankHits } from "./search/rank-hits.ts";
import type { SearchQuery, SearchResult, WordReading } from "./search/search-query.ts";
import { SegmentReader } from "./search/segment-reader.ts";
import type { WeighedWord } from "./search/weigh-words.ts";
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
export function openIndex(snapshot: Snapshot, former?: TextIndex): TextIndex {
  const known = new Map((former && readersOf.get(former))?.map((reader) => [reader.segment.key, reader]));
  const readers = snapshot.segments.map((part) => new SegmentReader(part, known.get(part.key)));
  const index: TextIndex = {
    sequence: snapshot.sequence,
    documents: readers.reduce((sum, reader) => sum + reader.liveDocuments, 0),
    search: (query) => search(readers, query),
    vocabulary: createVocabulary(readers),
  };
  readersOf.set(index, readers);
  return index;
}

function search(readers: readonly SegmentReader[], query: SearchQuery): SearchResult {
  const { text, filters = {}, sort = "relevance", facets, everyWord = false } = query;
  const enough = sort === "relevance" ? ENOUGH_BY_RELEVANCE : ENOUGH_BY_COLUMN;
  const hasWords = text.trim() !== "";
  const plan = planFacets(facets, filters, hasWords);
  const matched = matchQuery(readers, hasWords ? readQuery(readers, text) : "everything", filters, {
    enough,
    everyWord,
    apart: plan.apart,
  });
  const { best, ids, scores } = rankHits(readers, query, matched.words);
  const lacking = matched.totalWithEveryWord === 0 ? best : undefined;
  return {
    ids,
    scores,
    total: matched.total,
    totalWithEveryWord: matched.totalWithEveryWord,
    correctedText: correctedText(matched.words),
    words: matched.words.map((word) => describe(word, lacking)),
    facets: countFacets(readers, facets, plan),
  };
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
