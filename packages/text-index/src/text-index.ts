import { DocumentCounts, matchedLists, matchesKey, toFacets } from "./facets/count-facets.ts";
import { planFacets } from "./facets/facet-plan.ts";
import { documentsPassing, resolveRanges } from "./facets/numeric-attributes.ts";
import { flagConditions } from "./facets/segment-tags.ts";
import { GroupCounts } from "./groups/group-counts.ts";
import {
  firstByNames,
  type GroupHit,
  type Groups,
  groupsOfMatches,
  rankGroups,
  variantsOf,
} from "./groups/groups.ts";
import { english, type Languages } from "./language/language.ts";
import { termInCatalog, waysOfText } from "./query/plan-query.ts";
import { describeReading, type IndexInternals, readInIndex } from "./query/reading.ts";
import {
  changeMatches,
  documentsOf,
  factorsOfAll,
  type JoinedPin,
  placePins,
  placesPins,
  rankByRules,
  setOfBoost,
} from "./search/apply-rules.ts";
import { createIndexStatistics } from "./search/index-statistics.ts";
import { addFew, addScores, clear, type JoinedList, removeFew, settle, uniteAll } from "./search/matches.ts";
import { Matching } from "./search/matching.ts";
import { createVocabulary, type Vocabulary } from "./search/name-finder.ts";
import {
  type Factors,
  needsRelated,
  rankHits,
  rarestWords,
  rerankedHits,
  type SetFactor,
  type WeighedReading,
  type WeighedWord,
  weighReading,
} from "./search/rank-hits.ts";
import {
  defaultOrder,
  type GroupRequest,
  type SearchQuery,
  type SearchResult,
  type SearchRules,
} from "./search/search-query.ts";
import { type HiddenDocuments, SegmentReader } from "./search/segment-reader.ts";
import { noPostings, postingCount } from "./segment/postings.ts";
import type { Snapshot } from "./segment/segment.ts";
import { Suggester, type Suggestions, type SuggestQuery } from "./suggest/suggest.ts";

const maxImpact = 255;

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

function search(internals: IndexInternals, asked: SearchQuery): SearchResult {
  const { readers, statistics, languages } = internals;
  const query = asked.filters ? { ...asked, filters: resolveRanges(readers, asked.filters) } : asked;
  const { text, filters = {}, facets, relatedCount: related = 0 } = query;
  const isGrouped = query.grouped !== undefined;
  const boosted = setFactors(readers, query);
  const isRaised = !isGrouped && onlyRaises(query);
  // With groups or other rules, one boost more is as good.
  const others =
    boosted !== undefined && (isGrouped || query.rules) ? withBoost(query, boosted) : query.rules;
  const rules = isRaised ? undefined : others;
  const isChanged = rules !== undefined;
  const facetPlan = planFacets(facets, filters, { hasWords: text.trim() !== "" || isChanged, isGrouped });
  const matching = new Matching(
    readers,
    filters,
    { keys: facetPlan.apart, areListed: isGrouped || isChanged },
    (filter) => waysOfText(statistics, languages, filter),
    isChanged,
  );
  const reading = weighReading(readers, readInIndex(internals, query));
  const matched = matching.run(reading);
  const key = matchesKey(readers, facetPlan, isGrouped);
  if (query.grouped !== undefined)
    return groupedResult(matching, { ...query, rules }, reading, query.grouped, key);
  const lists = matchedLists(readers);
  const factors = isRaised ? setsOfRules(readers, query, boosted) : boosted;
  const { ids, scores, total } =
    rules === undefined
      ? { ...rankHits(readers, query, reading.words, reading.thing, factors), total: matched }
      : rankByRules(matching, query, reading, rules);
  const counted = toFacets(readers, facets, key, (of) => new DocumentCounts(readers, of, facetPlan, lists));
  return {
    rowIds: ids,
    scores,
    ...describeReading(readers, reading),
    total,
    facets: counted,
    groups: [],
    relatedRowIds: needsRelated(related, reading, total)
      ? findRelated(matching, query, reading, related)
      : [],
  };
}

/** The boosted documents of each reader with their factor; undefined if the query boosts none. */
function setFactors(
  readers: readonly SegmentReader[],
  { text, sort = "relevance", order = defaultOrder(sort), boostFactor = 1 }: SearchQuery,
): ReadonlyArray<SetFactor | undefined> | undefined {
  if (boostFactor === 1 || sort !== "relevance" || order !== "desc" || text.trim() === "") return undefined;
  return readers.map((reader) => {
    const { bits, count } = documentsPassing(reader, flagConditions.boosted);
    return count === 0 ? undefined : { bits, factor: boostFactor };
  });
}

/** Whether the rules do nothing else than to raise and lower: then the best hits are found without a pass over all matches. */
function onlyRaises({ rules, text, sort = "relevance", order = defaultOrder(sort) }: SearchQuery): boolean {
  const { hide = [], pin = [], boosts = [] } = rules ?? {};
  if (boosts.length === 0 || hide.length + pin.length > 0) return false;
  return sort === "relevance" && order === "desc" && text.trim() !== "";
}

/** By reader, the matches that rules and `boosted` raise or lower, with their factors. */
function setsOfRules(
  readers: readonly SegmentReader[],
  { rules: { boosts = [] } = {} }: SearchQuery,
  boosted: ReadonlyArray<SetFactor | undefined> | undefined,
): readonly Factors[] {
  return readers.map((reader, i) => {
    const sets = [...boosts.map((boost) => setOfBoost(reader, boost) ?? []), boosted?.[i] ?? []].flat();
    const [first, second] = sets;
    return second === undefined && first !== undefined && first.factor >= 1 ? first : sets;
  });
}

/** The same as a rule, if any document is boosted. */
function withBoost(
  { rules, boostFactor = 1 }: SearchQuery,
  factors: ReadonlyArray<SetFactor | undefined>,
): SearchRules | undefined {
  if (factors.every((factor) => factor === undefined)) return rules;
  return {
    ...rules,
    boosts: [...(rules?.boosts ?? []), { filters: { boosted: true }, factor: boostFactor }],
  };
}

/** The same with one hit for each group of the matches, which are in the readers' scratch space. */
function groupedResult(
  matching: Matching,
  query: SearchQuery,
  reading: WeighedReading,
  { maxVariants: variants }: GroupRequest,
  key: string | undefined,
): SearchResult {
  const { readers } = matching;
  const { rules, relatedCount: related = 0 } = query;
  const isChanged = (rules?.hide?.length ?? 0) + (rules?.pin?.length ?? 0) > 0;
  const changed =
    rules !== undefined && isChanged ? changeMatches(matching, rules, placesPins(query)) : undefined;
  readers.forEach(({ state }, i) => {
    addFew(state.matches, changed?.joining[i] ?? new Uint32Array());
  });
  const groups = groupsOfMatches(readers);
  const source = query.filters?.source;
  const facets = toFacets(readers, query.facets, key, () => new GroupCounts(readers, groups, source));
  const hits =
    rules === undefined
      ? rankGroups(readers, query, reading.words, reading.thing, groups)
      : rankRuledGroups(matching, query, reading, changed?.pins ?? [], groups);
  return {
    rowIds: hits.map(({ reader, doc }) => readers[reader]?.segment.sections.ids[doc] ?? 0),
    scores: hits.map(({ score }) => score),
    ...describeReading(readers, reading),
    total: groups.count,
    facets,
    groups: variantsOf(readers, hits, groups, variants),
    relatedRowIds: needsRelated(related, reading, groups.count)
      ? findRelatedGroups(matching, query, reading, groups)
      : [],
  };
}

/** Of pinned documents of one group, the one with the first position is its hit. */
function rankRuledGroups(
  matching: Matching,
  query: SearchQuery,
  { words, thing }: WeighedReading,
  pins: readonly JoinedPin[],
  groups: Groups,
): GroupHit[] {
  const { readers } = matching;
  const pinned = new Map<number, JoinedPin>();
  for (const pin of pins.toSorted((one, other) => one.position - other.position)) {
    const place = groups.placeOf(pin.reader, pin.doc);
    if (!pinned.has(place)) pinned.set(place, pin);
  }
  const page = placePins([...pinned.values()], groups.count - pinned.size, query);
  const inPinned = groupMembers(groups, readers.length, [...pinned.keys()]);
  readers.forEach(({ state }, i) => {
    removeFew(state.matches, inPinned[i] ?? new Uint32Array());
  });
  const { offset, limit } = page;
  const others = pinned.size === 0 ? groups : groupsOfMatches(readers);
  const factors = factorsOfAll(matching, query.rules ?? {});
  const hits = rankGroups(readers, { ...query, offset, limit }, words, thing, others, factors);
  const idOf = ({ reader, doc }: GroupHit) => readers[reader]?.segment.sections.ids[doc] ?? 0;
  const byId = new Map([...pinned.values()].map((pin) => [pin.rowId, { ...pin, score: 0 }]));
  const ranked = new Map(hits.map((hit) => [idOf(hit), hit]));
  return page.fill([...ranked.keys()]).flatMap((id) => byId.get(id) ?? ranked.get(id) ?? []);
}

/** By reader, the documents of the groups at these places, ascending. */
function groupMembers(groups: Groups, readers: number, places: readonly number[]): Uint32Array[] {
  const entries = places.flatMap((place) => groups.membersOf(place));
  return Array.from({ length: readers }, (_, reader) =>
    Uint32Array.from(
      entries.filter((entry) => groups.readers[entry] === reader).map((entry) => groups.docs[entry] ?? 0),
    ).sort(),
  );
}

/** Whether a search for a text finds products of the source. */
function findsAll(internals: IndexInternals, text: string, source: number | undefined): boolean {
  return readInIndex(internals, { text, filters: { source }, offset: 0, limit: 1 }).finds === "words";
}

/**
 * The best documents that have only some of the words and are not among the matches. The matches must still be in the
 * readers' scratch space; the result replaces them there.
 */
function findRelated(
  search: Matching,
  { rules }: SearchQuery,
  matched: WeighedReading,
  limit: number,
): number[] {
  loadRelated(
    search,
    matched,
    excludedDocuments(search.readers, search.readers.map(matchedDocuments), rules),
    limit,
  );
  const page = { text: "", offset: 0, limit } as const;
  return rankHits(search.readers, page, matched.words, matched.thing).ids;
}

/** The same, one of each group and none of the groups of the matches. Of the best documents only those ranked by names are seen. */
function findRelatedGroups(
  search: Matching,
  { rules, relatedCount: limit }: SearchQuery,
  matched: WeighedReading,
  groups: Groups,
): number[] {
  const { readers } = search;
  const members: number[][] = readers.map(() => []);
  groups.docs.forEach((doc, entry) => {
    members[groups.readers[entry] ?? 0]?.push(doc);
  });
  loadRelated(search, matched, excludedDocuments(readers, members, rules), rerankedHits);
  const { words, thing } = matched;
  return firstByNames(readers, { text: "" }, words, thing, groups)
    .filter(({ reader, doc }) => groups.placeOf(reader, doc) < 0)
    .slice(0, limit)
    .map(({ reader, doc }) => readers[reader]?.segment.sections.ids[doc] ?? 0);
}

/** By reader, ascending: the matches, and what rules hide. */
function excludedDocuments(
  readers: readonly SegmentReader[],
  matched: ReadonlyArray<Iterable<number>>,
  rules: SearchQuery["rules"],
): Uint32Array[] {
  return readers.map((reader, i) =>
    Uint32Array.from(new Set([...(matched[i] ?? []), ...documentsOf(reader, rules?.hide ?? [])])).sort(),
  );
}

function loadRelated(
  search: Matching,
  { words }: WeighedReading,
  excluded: readonly Uint32Array[],
  limit: number,
): void {
  const [rarest, others] = rarestWords(words);
  const best = Math.max(limit, rerankedHits);
  search.readers.forEach((reader, i) => {
    const apart = excluded[i] ?? new Uint32Array();
    loadAnyWord(search, i, rarest, best, apart);
    // A text has so many words only rarely, and these rarely find nothing.
    if (reader.state.matches.count === 0 && others.length > 0) loadAnyWord(search, i, others, best, apart);
  });
}

function matchedDocuments({ state: { matches } }: SegmentReader): Uint32Array {
  settle(matches);
  return matches.docs.slice(0, matches.count);
}

/**
 * Joins the lists of the words, starting with the one that can give most points, until a document without any of
 * those words can no longer be among the best. The remaining, longest lists are only looked up (MaxScore: H. Turtle,
 * J. Flood, "Query evaluation: strategies and optimizations", 1995).
 */
function loadAnyWord(
  search: Matching,
  place: number,
  words: readonly WeighedWord[],
  best: number,
  excluded: Uint32Array,
): void {
  const reader = search.readers[place];
  if (reader === undefined) return;
  const { matches, union } = reader.state;
  const lists = words
    .map(({ lists, weight }) => ({ list: lists[place] ?? noPostings, weight }))
    .toSorted((a, b) => b.weight - a.weight || postingCount(a.list) - postingCount(b.list));
  const hidden = search.hiddenOnly(place);
  clear(matches);
  for (let at = 0; at < lists.length; ) {
    const rest = lists.slice(at);
    const [last] = rest;
    const reachable = rest.reduce(
      (sum, { list, weight }) => sum + weight * (list.mostImpact ?? maxImpact),
      0,
    );
    if (reachable < floorOf(reader, best)) {
      for (const { list, weight } of rest) addScores(matches, list, weight);
      return;
    }
    if (last !== undefined && rest.length === 1 && hidden !== undefined && matches.count < best) {
      joinBest(reader, last, best, excluded, hidden);
      return;
    }
    // To find the floor takes a pass over all matches, so lists that are shorter are joined without it.
    let next = at + 1;
    let joined = matches.count + postingCount(lists[at]?.list ?? noPostings);
    for (; next < lists.length; next++) {
      const length = postingCount(lists[next]?.list ?? noPostings);
      if (length > joined) break;
      joined += length;
    }
    uniteAll(matches, lists.slice(at, next), union.marks);
    // Only documents that can be a result raise the floor: those of the filters, without the matches.
    search.filter(place);
    removeFew(matches, excluded);
    at = next;
  }
}

/** Joins a list, of which only the best can be a result: those that have no other word, in the order of their impacts. */
function joinBest(
  { state: { matches, top } }: SegmentReader,
  { list, weight }: JoinedList,
  best: number,
  excluded: Uint32Array,
  { marks }: HiddenDocuments,
): void {
  settle(matches);
  const others = new Set([...excluded, ...matches.docs.subarray(0, matches.count)]);
  top.start(best + others.size, postingCount(list));
  top.offerDeferred({ postings: list, weight, deletions: marks });
  top.finish();
  addFew(
    matches,
    top.docs
      .slice(0, top.count)
      .filter((doc) => !others.has(doc))
      .sort(),
  );
  addScores(matches, list, weight);
}

/** The score that at least this many documents reach; 0 if there are fewer. */
function floorOf({ state: { matches, top } }: SegmentReader, best: number): number {
  if (matches.count < best) return 0;
  top.start(best, matches.count);
  top.offerScores(matches, 1);
  top.finish();
  return top.primary.subarray(0, top.count).reduce((least, score) => Math.min(least, score), Infinity);
}
