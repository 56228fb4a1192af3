import { createHash } from "node:crypto";
import {
  type AttributeFacet,
  externalSteps,
  type Facets,
  filterTerms,
  firstHits,
  needsRelated,
  placePins,
  planFacets,
  rerankedHits,
  type SearchQuery,
  type SearchResult,
  type SearchRules,
  type TermStep,
  type TermSteps,
  type TextIndex,
  unknownTerms,
} from "@product-search/text-index";
import { type Buckets, chooseAttributes, readAttributes, valueAggregations } from "./attribute-facets.ts";
import { compileFilters } from "./compile-filters.ts";
import { allOf, type Clause, compileStep, hasAnyTerm } from "./compile-step.ts";
import { bucketsOf, compileFacets, readFacets } from "./facets.ts";
import { groupedFields, groupedResult, rankGroups } from "./grouped-result.ts";
import {
  fullMatch,
  type Outcome,
  type PageChanges,
  pageBody,
  pageOf,
  ranksByNames,
  readRules,
  relatedHits,
  run,
  type Search,
  totalOf,
  wordsOf,
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
  const outcome = await runSteps(search, await stepsOf(search, vocabulary));
  if (query.rules !== undefined) return ruledResult(search, outcome, query.rules);
  const { step, response: found, result } = outcome;
  const described = result.describe(await wordsOfFirst(search, outcome));
  return {
    ids: pageOf(query, outcome).map(({ rowId }) => rowId),
    scores: [],
    ...described,
    facets: await facetsOf(
      search,
      step.kind === "nothing" ? {} : searchBody(search, step),
      found?.aggregations,
    ),
    variants: [],
    relatedIds:
      query.related && needsRelated(described) ? await findRelated(search, outcome, query.related) : [],
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
  const { hits } = await rankGroups({
    search,
    outcome,
    boosts: [],
    without: [],
    isRuled: false,
    offset: query.offset,
    limit: query.limit,
  });
  return hits.map(({ rowId }) => rowId);
}

function toSearch(
  target: SearchTarget,
  vocabulary: TextIndex,
  query: SearchQuery,
  signal: AbortSignal | undefined,
): Search {
  const { apart } = planFacets(query.facets, query.filters ?? {}, { hasWords: true, isGrouped: true });
  const filters = compileFilters(query.filters ?? {}, apart, (text) => filterTerms(vocabulary, text));
  return { target, query, filters, preference: preferenceOf(query), signal };
}

/** Words are dropped by the number of products, not of groups. The best products tell the first groups. */
async function productsOf(search: Search, vocabulary: TextIndex): Promise<Outcome> {
  const products = { ...search, query: { ...search.query, facets: undefined, offset: 0, limit: 0 } };
  return runSteps(products, await stepsOf(products, vocabulary));
}

/**
 * The result with rules, which change what the steps have found and not the steps. Two more requests: what is counted, with the
 * pinned products that pass the filters, and the page of all others.
 */
async function ruledResult(search: Search, outcome: Outcome, rules: SearchRules): Promise<SearchResult> {
  const { query, filters } = search;
  const { step, result } = outcome;
  const { base, hidden, pinned, pin, boosts } = readRules(step, rules);
  const own = allOf([...filters.own.values()]);
  const ruled = {
    size: 0,
    query: allOf([...filters.common, base]),
    post_filter: own,
    ...(query.facets && { aggs: compileFacets(query.facets, filters.own, "products") }),
  };
  const full = fullMatch(outcome, hidden);
  const [counted, joining, fullCount] = await run(search, [
    ruled,
    { size: pin.length, query: allOf([...filters.common, own, pinned]) },
    ...(full === undefined ? [] : [{ size: 0, query: allOf([...filters.common, own, full]) }]),
  ]);
  const joined = new Set(joining?.hits.map(({ rowId }) => rowId));
  const total = totalOf(counted);
  const page = placePins(
    pin.filter(({ id }) => joined.has(id)),
    total - joined.size,
    query,
  );
  const others = { ...search, query: { ...query, offset: page.offset, limit: page.limit } };
  const changes = { boosts, without: [hidden, pinned] };
  const [response] = step.kind === "nothing" ? [] : await run(search, [pageBody(others, step, changes)]);
  const ruledOutcome = { step, response, result };
  const described = result.describe(await wordsOfFirst(others, ruledOutcome, changes));
  return {
    ids: page.fill(pageOf(others.query, ruledOutcome, boosts).map(({ rowId }) => rowId)),
    scores: [],
    ...described,
    total,
    totalWithEveryWord: totalOf(fullCount),
    absentThing: total === 0 ? described.absentThing : undefined,
    facets: await facetsOf(search, ruled, counted?.aggregations),
    variants: [],
    relatedIds:
      query.related && needsRelated({ total, totalWithEveryWord: totalOf(fullCount) })
        ? await findRelated(search, outcome, query.related, [hidden, pinned])
        : [],
  };
}

/** The vocabulary is a sample of a large catalog. A word that it does not know is looked up before it is corrected. */
async function stepsOf(search: Search, vocabulary: TextIndex): Promise<() => TermSteps> {
  const terms = unknownTerms(vocabulary, search.query.text);
  const bodies = terms.map((term) => ({ size: 0, query: hasAnyTerm([term]) }));
  const counts = bodies.length === 0 ? [] : await run(search, bodies);
  const further = new Map(terms.map((term, i) => [term, totalOf(counts[i])]));
  return () => externalSteps(vocabulary, search.query, further);
}

/**
 * Every step is sent as a complete search. The last one is the result, and earlier ones found nearly nothing, so most
 * queries take one request. The check for an exact key is sent together with the step that follows without one.
 */
async function runSteps(search: Search, start: () => TermSteps): Promise<Outcome> {
  let steps = start();
  let next = steps.next();
  let last: Pick<Outcome, "step" | "response"> = { step: { kind: "nothing" }, response: undefined };
  if (!next.done && next.value.kind === "keyed") {
    const asked = next.value;
    next = steps.next(0);
    if (next.done) return { ...last, result: next.value };
    const [keyed, found] = await run(search, [keyCount(asked), searchBody(search, next.value)]);
    const count = keyed?.total ?? 0;
    last = { step: next.value, response: found };
    if (count === 0) next = steps.next(totalOf(found));
    else {
      steps = start();
      steps.next();
      next = steps.next(count);
    }
  }
  while (!next.done) {
    const step = next.value;
    const [found] = step.kind === "nothing" ? [] : await run(search, [searchBody(search, step)]);
    last = { step, response: found };
    next = steps.next(totalOf(found));
  }
  return { ...last, result: next.value };
}

function keyCount(step: TermStep): object {
  return { size: 0, query: compileStep(step).match };
}

function searchBody(search: Search, step: TermStep): object {
  const { query, filters } = search;
  return {
    ...pageBody(search, step),
    ...(query.facets && { aggs: compileFacets(query.facets, filters.own, "products") }),
  };
}

/** Checks for each word whether one of the first hits has it. Needed only if words were dropped. */
async function wordsOfFirst(
  search: Search,
  outcome: Outcome,
  changes: PageChanges = {},
): Promise<((place: number) => boolean) | undefined> {
  const { step, response: found } = outcome;
  if (found === undefined || found.total === 0) return undefined;
  if (step.kind !== "words" || step.share === undefined) return () => true;
  const first = { ...search.query, offset: 0, limit: firstHits, facets: undefined };
  const { offset, limit } = search.query;
  const hasFirst = ranksByNames(search.query, step)
    ? offset < rerankedHits
    : offset === 0 && limit >= firstHits;
  const body = () => pageBody({ ...search, query: first }, step, changes);
  const [best] = hasFirst ? [found] : await run(search, [body()]);
  return wordsOf(pageOf(first, { ...outcome, response: best }, changes.boosts));
}

async function findRelated(
  search: Search,
  outcome: Outcome,
  limit: number,
  without: readonly Clause[] = [],
): Promise<number[]> {
  const hits = await relatedHits(search, outcome, limit, without);
  return hits.slice(0, limit).map(({ rowId }) => rowId);
}

/** The facets of a search, which was sent as `body`. */
async function facetsOf(search: Search, body: object, aggregated: unknown): Promise<Facets> {
  const request = search.query.facets ?? { of: [], limit: 0 };
  const facets = readFacets(request, bucketsOf(aggregated));
  return { ...facets, attributes: await countAttributes(search, body, bucketsOf(aggregated)) };
}

/** The values of attributes are counted by a second request, when it is known which attributes the matches have. */
async function countAttributes(search: Search, body: object, buckets: Buckets): Promise<AttributeFacet[]> {
  const { query, filters } = search;
  const { facets } = query;
  if (facets?.attributes === undefined) return [];
  const chosen = chooseAttributes(facets.attributes, filters.own, buckets);
  const aggs = valueAggregations(chosen, filters.own, "products");
  if (Object.keys(aggs).length === 0) return readAttributes(facets, chosen, () => []);
  const [counted] = await run(search, [{ ...body, from: 0, size: 0, aggs }]);
  return readAttributes(facets, chosen, bucketsOf(counted?.aggregations));
}

/** The same for all pages of a search. It must not start with an underscore. */
function preferenceOf({ text, filters, sort, order }: SearchQuery): string {
  return createHash("sha1")
    .update(JSON.stringify([text, filters, sort, order]))
    .digest("hex");
}
