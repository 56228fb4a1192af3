import { createHash } from "node:crypto";
import { maxFacetAttributes } from "@product-search/core/domain/attributes.ts";
import {
  type AttributeFacet,
  attributeOfSort,
  type Facets,
  filterTerms,
  isNumberSort,
  nameKey,
  numbersOf,
  placePins,
  placesPins,
  planFacets,
  rangeOf,
  readForEngine,
  type SearchFilters,
  type SearchQuery,
  type SearchResult,
  type SearchRules,
  type TermQuestion,
  type TermReading,
  type TermSteps,
  type TextIndex,
  unknownTerms,
  withBounds,
} from "@product-search/text-index";
import { type Buckets, chooseAttributes, readAttributes, valueAggregations } from "./attribute-facets.ts";
import {
  allOf,
  type Clause,
  compileFilters,
  compileQuestion,
  hasAnyTerm,
  sourceFilter,
} from "./compile-query.ts";
import { bucketsOf, compileFacets, readFacets } from "./facets.ts";
import { groupedFields, groupedResult, rankGroups } from "./grouped-result.ts";
import {
  type Outcome,
  pageBody,
  pageOf,
  readRules,
  relatedHits,
  run,
  type Search,
  totalOf,
} from "./page-request.ts";
import type { SearchTarget } from "./run-searches.ts";

/** Searches the cluster. The vocabulary decides how the query is read. */
export async function searchCluster(
  target: SearchTarget,
  vocabulary: TextIndex,
  query: SearchQuery,
  signal: AbortSignal | undefined,
): Promise<SearchResult> {
  const search = toSearch(target, vocabulary, query, signal);
  if (query.grouped !== undefined) {
    const grouped = { ...search, fields: groupedFields };
    return groupedResult(grouped, await productsOf(grouped, vocabulary), query.grouped);
  }
  const outcome = await find(search, vocabulary);
  const { reading, response: found } = outcome;
  if (query.rules !== undefined) return ruledResult(search, reading, query.rules);
  const total = totalOf(found);
  return {
    rowIds: pageOf(query, outcome).map(({ rowId }) => rowId),
    scores: [],
    ...reading.describe(),
    total,
    facets: await facetsOf(
      search,
      reading.finds === "nothing" ? {} : searchBody(search, reading),
      found?.aggregations,
    ),
    groups: [],
    relatedRowIds: await findRelated(search, reading, total),
  };
}

/** The products of the first groups of a search, which are not counted. */
export async function firstOfEachGroup(
  target: SearchTarget,
  vocabulary: TextIndex,
  query: SearchQuery,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const search = { ...toSearch(target, vocabulary, query, signal), fields: groupedFields };
  const outcome = await productsOf(search, vocabulary);
  const hits = await rankGroups({
    search,
    outcome,
    changes: {},
    isRuled: false,
    offset: query.offset,
    limit: query.limit,
  });
  return hits.map(({ rowId }) => rowId);
}

function toSearch(
  target: SearchTarget,
  vocabulary: TextIndex,
  asked: SearchQuery,
  signal: AbortSignal | undefined,
): Search {
  const names = vocabulary.vocabulary.manyAttributes(asked.filters?.source, maxFacetAttributes);
  const given = names === undefined ? asked.filters : onlyFacets(asked.filters, names);
  const query = given ? { ...asked, filters: withBounds(vocabulary, given) } : asked;
  const { apart } = planFacets(query.facets, query.filters ?? {}, { hasWords: true, isGrouped: true });
  const filters = compileFilters(query.filters ?? {}, apart, (text) => filterTerms(vocabulary, text));
  const rangeOfValues: Search["rangeOf"] = (name, values) =>
    rangeOf(vocabulary, name, query.filters?.source, values);
  const { sort } = query;
  const sortedNumbers =
    sort !== undefined && isNumberSort(sort)
      ? numbersOf(vocabulary, attributeOfSort(sort), query.filters?.source)
      : undefined;
  const isFacet = (key: string) => names === undefined || names.has(key);
  return {
    target,
    query,
    filters,
    preference: preferenceOf(query),
    signal,
    rangeOf: rangeOfValues,
    sortedNumbers,
    isFacet,
  };
}

/**
 * A source has a limited number of names that are facets and filters: those that its vocabulary has. A filter by another one finds
 * nothing, and excludes nothing.
 */
function onlyFacets(filters: SearchFilters = {}, names: ReadonlySet<string>): SearchFilters {
  const isFacet = ({ name }: { name: string }) => names.has(nameKey(name));
  const { attributes, notAttributes, always } = filters;
  const those = (all: SearchFilters["attributes"]) =>
    all?.map((one) => (isFacet(one) ? one : { ...one, values: [] }));
  return {
    ...filters,
    ...(attributes && { attributes: those(attributes) }),
    ...(notAttributes && { notAttributes: notAttributes.filter(isFacet) }),
    ...(always?.attributes && { always: { ...always, attributes: those(always.attributes) } }),
  };
}

/** The best products tell the first groups. */
function productsOf(search: Search, vocabulary: TextIndex): Promise<Outcome> {
  return find({ ...search, query: { ...search.query, facets: undefined, offset: 0, limit: 0 } }, vocabulary);
}

/** Two more requests: what is counted, with the pinned products that pass the filters, and the page. */
async function ruledResult(search: Search, reading: TermReading, rules: SearchRules): Promise<SearchResult> {
  const { query, filters } = search;
  const { base, hidden, pinned, pin, boosts } = readRules(reading, rules);
  const own = allOf([...filters.own.values()]);
  const ruled = {
    size: 0,
    query: allOf([...filters.common, base]),
    post_filter: own,
    ...(query.facets && { aggs: compileFacets(query.facets, filters.own, "products") }),
  };
  const isPlaced = placesPins(query);
  const [counted, joining] = await run(search, [
    ruled,
    ...(isPlaced ? [{ size: pin.length, query: allOf([...filters.common, own, pinned]) }] : []),
  ]);
  const joined = new Set(joining?.hits.map(({ rowId }) => rowId));
  const total = totalOf(counted);
  const page = placePins(
    pin.filter(({ rowId: id }) => joined.has(id)),
    total - joined.size,
    query,
  );
  const others = { ...search, query: { ...query, offset: page.offset, limit: page.limit } };
  const changes = isPlaced
    ? { boosts, without: [hidden, pinned] }
    : { boosts, without: [hidden], joined: pinned };
  const [response] = await run(search, [pageBody(others, reading, changes)]);
  return {
    rowIds: page.fill(pageOf(others.query, { reading, response }, boosts).map(({ rowId }) => rowId)),
    scores: [],
    ...reading.describe(),
    total,
    facets: await facetsOf(search, ruled, counted?.aggregations),
    groups: [],
    relatedRowIds: await findRelated(search, reading, total, [hidden, pinned]),
  };
}

/** The vocabulary is a sample of a large catalog. A word that it does not know is looked up before it is corrected. */
async function stepsOf(search: Search, vocabulary: TextIndex): Promise<() => TermSteps> {
  const terms = unknownTerms(vocabulary, search.query.text);
  const bodies = terms.map((term) => ({ size: 0, query: hasAnyTerm([term]) }));
  const counts = bodies.length === 0 ? [] : await run(search, bodies);
  const further = new Map(terms.map((term, i) => [term, totalOf(counts[i])]));
  return () => readForEngine(vocabulary, search.query, further);
}

/**
 * Reads the text and finds its page. Most texts are no key, and products have all their words: the page of that reading is sent
 * with the questions, so that most searches take one request.
 */
async function find(search: Search, vocabulary: TextIndex): Promise<Outcome> {
  const start = await stepsOf(search, vocabulary);
  const guessed = readAs(start(), ({ kind }) => kind === "words");
  const [page, ...replies] = await run(search, [
    searchBody(search, guessed.reading),
    ...guessed.questions.map((question) => questionBody(search, question)),
  ]);
  const steps = start();
  let step = steps.next();
  for (let asked = 0; !step.done; asked++) {
    const { kind } = step.value;
    const known = replies[asked];
    const [reply] = known === undefined ? await run(search, [questionBody(search, step.value)]) : [known];
    const isFound = (reply?.hits.length ?? 0) > 0;
    // From here on the text is read otherwise than guessed.
    if (isFound !== (kind === "words")) replies.length = 0;
    step = steps.next(isFound);
  }
  const reading = step.value;
  if (replies.length === guessed.questions.length) return { reading, response: page };
  const [response] = reading.finds === "nothing" ? [] : await run(search, [searchBody(search, reading)]);
  return { reading, response };
}

/** The reading with these replies, and the questions that they reply to. */
function readAs(steps: TermSteps, reply: (question: TermQuestion) => boolean) {
  const questions: TermQuestion[] = [];
  let step = steps.next();
  while (!step.done) {
    questions.push(step.value);
    step = steps.next(reply(step.value));
  }
  return { questions, reading: step.value };
}

/** Any document of the source: the first one that a shard finds is enough. */
function questionBody({ query: { filters } }: Search, question: TermQuestion): object {
  return {
    size: 1,
    track_total_hits: false,
    terminate_after: 1,
    query: allOf([sourceFilter(filters?.source), compileQuestion(question)]),
  };
}

function searchBody(search: Search, reading: TermReading): object {
  const { query, filters } = search;
  return {
    ...pageBody(search, reading),
    ...(query.facets && { aggs: compileFacets(query.facets, filters.own, "products") }),
  };
}

async function findRelated(
  search: Search,
  reading: TermReading,
  total: number,
  without: readonly Clause[] = [],
): Promise<number[]> {
  const { relatedCount: related = 0 } = search.query;
  if (!reading.needsRelated(related, total)) return [];
  const hits = await relatedHits(search, reading, related, without);
  return hits.slice(0, related).map(({ rowId }) => rowId);
}

/** The facets of a search, which was sent as `body`. */
async function facetsOf(search: Search, body: object, aggregated: unknown): Promise<Facets> {
  const request = search.query.facets ?? { names: [], maxValues: 0 };
  const facets = readFacets(request, bucketsOf(aggregated));
  return { ...facets, attributes: await countAttributes(search, body, bucketsOf(aggregated)) };
}

/** The values of attributes are counted by a second request, when it is known which attributes the matches have. */
async function countAttributes(search: Search, body: object, buckets: Buckets): Promise<AttributeFacet[]> {
  const { query, filters } = search;
  const { facets } = query;
  if (facets?.attributes === undefined) return [];
  const chosen = chooseAttributes(facets.attributes, filters.own, buckets, search.isFacet);
  const aggs = valueAggregations(chosen, filters.own, "products");
  if (Object.keys(aggs).length === 0) return readAttributes(facets, chosen, () => [], search.rangeOf);
  const [counted] = await run(search, [{ ...body, from: 0, size: 0, aggs }]);
  return readAttributes(facets, chosen, bucketsOf(counted?.aggregations), search.rangeOf);
}

/** The same for all pages of a search. It must not start with an underscore. */
function preferenceOf({ text, filters, sort, order }: SearchQuery): string {
  return createHash("sha1")
    .update(JSON.stringify([text, filters, sort, order]))
    .digest("hex");
}
