import { createHash } from "node:crypto";
import type {
  AttributeFacet,
  FacetKind,
  FacetRequest,
  Facets,
  FacetValue,
  FilterKey,
  KindFilter,
  RangeKind,
  SearchFilters,
  SearchRules,
  SortKey,
} from "@product-search/text-index";
import {
  defaultOrders,
  externalSteps,
  facetRanges,
  filterKeys,
  filterTerms,
  firstHits,
  type NamedHit,
  nameKey,
  placePins,
  planFacets,
  relatedBelow,
  rerankedHits,
  type SearchQuery,
  type SearchResult,
  type TermResult,
  type TermStep,
  type TermSteps,
  type TextIndex,
  unknownTerms,
} from "@product-search/text-index";
import { z } from "zod";
import {
  type Buckets,
  chooseAttributes,
  clausesWithout,
  keepBeginning,
  nameAggregations,
  readAttributes,
  valueAggregations,
  valuesPerShard,
} from "./attribute-facets.ts";
import type { Clause } from "./compile-step.ts";
import { allOf, anyOf, compileStep, hasAnyTerm, nameOf, pointsOfWords } from "./compile-step.ts";
import { type Found, type Hit, runSearches, type SearchTarget } from "./run-searches.ts";

interface CountedField {
  readonly field: string;
  /** The filter that is ignored. */
  readonly own: FilterKey;
}

const facetFields: Record<FacetKind | "categoryPaths" | "availability", CountedField> = {
  brands: { field: "brand", own: "brands" },
  categories: { field: "category", own: "categories" },
  stores: { field: "store", own: "stores" },
  price: { field: "valueClass", own: "price" },
  rating: { field: "valueClass", own: "rating" },
  categoryPaths: { field: "levels", own: "categories" },
  availability: { field: "availability", own: "availability" },
};
type CountedFacet = keyof typeof facetFields;

/** The field of each sort, and whether relevance orders equal values before quality does. */
const sortColumns: Record<SortKey, { column: string; byRelevance: boolean }> = {
  relevance: { column: "_score", byRelevance: false },
  price: { column: "priceMinor", byRelevance: false },
  "price:relevance": { column: "priceMinor", byRelevance: true },
  rating: { column: "rating", byRelevance: true },
  discount: { column: "discount", byRelevance: true },
};

/** There are fewer classes of prices and ratings than this. */
const valueClasses = 4_096;

const bucket = z.object({ key: z.union([z.string(), z.number()]), doc_count: z.number() });

const terms = z.object({ buckets: z.array(bucket) });

const aggregation = z.union([z.object({ values: terms }).transform(({ values }) => values), terms]);

const aggregations = z.record(z.string(), aggregation);

interface Search {
  readonly target: SearchTarget;
  readonly query: SearchQuery;
  readonly filters: CompiledFilters;
  readonly preference: string;
  readonly signal: AbortSignal | undefined;
}

/** Searches the cluster. The vocabulary decides how the query is read. */
export async function searchCluster(
  target: SearchTarget,
  vocabulary: TextIndex,
  query: SearchQuery,
  signal: AbortSignal | undefined,
): Promise<SearchResult> {
  const { apart } = planFacets(query.facets, query.filters ?? {}, { hasWords: true, isGrouped: true });
  const filters = compileFilters(query.filters ?? {}, apart, (text) => filterTerms(vocabulary, text));
  const search = { target, query, filters, preference: preferenceOf(query), signal };
  const outcome = await runSteps(search, await stepsOf(search, vocabulary));
  if (query.rules !== undefined) return ruledResult(search, outcome, query.rules);
  const { step, found, result } = outcome;
  const { offset, limit } = query;
  const { from } = windowOf(query, step);
  return {
    ids: rankedIds(query, outcome).slice(offset - from, offset - from + limit),
    scores: [],
    ...result.describe(await wordsOfFirst(search, outcome)),
    facets: await facetsOf(
      search,
      step.kind === "nothing" ? {} : searchBody(search, step),
      found?.aggregations,
    ),
    variants: [],
    relatedIds:
      query.related && result.total < relatedBelow ? await findRelated(search, outcome, query.related) : [],
  };
}

/**
 * The result with rules, which change what the steps have found and not the steps. Two more requests: what is counted, with the
 * pinned products that pass the filters, and the page of all others.
 */
async function ruledResult(search: Search, outcome: Outcome, rules: SearchRules): Promise<SearchResult> {
  const { query, filters } = search;
  const { step, result } = outcome;
  const { hide = [], boosts = [] } = rules;
  const pin = (rules.pin ?? []).filter(({ id }) => !hide.includes(id));
  const hidden = idsClause(hide);
  const pinned = idsClause(pin.map(({ id }) => id));
  const base = step.kind === "nothing" ? matchNothing : compileStep(step).match;
  const own = allOf([...filters.own.values()]);
  const ruled = {
    size: 0,
    query: { bool: { filter: [...filters.common, anyOf([base, pinned])], must_not: [hidden] } },
    post_filter: own,
    ...(query.facets && { aggs: compileFacets(query.facets, filters.own) }),
  };
  const [counted, joining] = await run(search, [
    ruled,
    { size: pin.length, query: { bool: { filter: [...filters.common, own, pinned] } } },
  ]);
  const joined = new Set(joining?.hits.map(({ rowId }) => rowId));
  const total = totalOf(counted);
  const page = placePins(
    pin.filter(({ id }) => joined.has(id)),
    total - joined.size,
    query,
  );
  const pageQuery = { ...query, offset: page.offset, limit: page.limit };
  const others = { ...search, query: pageQuery };
  const body = step.kind === "nothing" ? undefined : ruledBody(others, step, boosts, [hidden, pinned]);
  const [found] = body === undefined ? [] : await run(search, [body]);
  const { from } = windowOf(pageQuery, step);
  const ranked = rankedIds(pageQuery, { step, found, result }, boosts);
  const described = result.describe(await wordsOfFirst(search, outcome));
  return {
    ids: page.fill(ranked.slice(page.offset - from, page.offset - from + page.limit)),
    scores: [],
    ...described,
    total,
    totalWithEveryWord: Math.min(described.totalWithEveryWord, total),
    absentThing: total === 0 ? described.absentThing : undefined,
    facets: await facetsOf(search, ruled, counted?.aggregations),
    variants: [],
    relatedIds:
      query.related && total < relatedBelow
        ? await findRelated(search, outcome, query.related, [hidden, pinned])
        : [],
  };
}

const matchNothing: Clause = { match_none: {} };

type Boosts = NonNullable<SearchRules["boosts"]>;

function idsClause(ids: readonly number[]): Clause {
  return { ids: { values: ids.map(String) } };
}

/** Factors are rounded as in the embedded index. Each is named, so that hits tell which they have. */
function ruledBody(
  search: Search,
  step: TermStep,
  boosts: Boosts,
  without: readonly Clause[],
): Record<string, unknown> {
  const { filter, must, should } = compileStep(step).scored;
  const { from, size } = windowOf(search.query, step);
  const plain = {
    bool: { filter: [...filter, ...search.filters.common], must, should, must_not: without },
  };
  const functions = boosts.map(({ filters, ids, factor }, place) => {
    const conditions = [
      ...namesFilter("brandKey", filters.brands),
      ...filterKeys(filters).map(({ keys }) => categoryFilter(keys, filters.categories)),
      ...(ids === undefined ? [] : [idsClause(ids)]),
    ];
    return { filter: { bool: { filter: conditions, _name: boostName(place) } }, weight: factor };
  });
  const factored = {
    script_score: {
      query: { function_score: { query: plain, functions, score_mode: "multiply", boost_mode: "multiply" } },
      script: { source: "Math.round(_score * 1000.0) / 1000.0" },
    },
  };
  return {
    from,
    size,
    query: boosts.length === 0 ? plain : factored,
    post_filter: allOf([...search.filters.own.values()]),
    sort: sortOf(search.query),
  };
}

function boostName(place: number): string {
  return `boost ${place}`;
}

function factorOf({ matchedQueries }: Hit, boosts: Boosts): number | undefined {
  if (boosts.length === 0) return undefined;
  return boosts.reduce(
    (product, { factor }, place) => (matchedQueries.includes(boostName(place)) ? product * factor : product),
    1,
  );
}

interface Outcome {
  /** The last step, whose documents are the matches. */
  readonly step: TermStep;
  /** Undefined if no request was needed. */
  readonly found: Found | undefined;
  readonly result: TermResult;
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
  let last: Pick<Outcome, "step" | "found"> = { step: { kind: "nothing" }, found: undefined };
  if (!next.done && next.value.kind === "keyed") {
    const asked = next.value;
    next = steps.next(0);
    if (next.done) return { ...last, result: next.value };
    const [keyed, found] = await run(search, [keyCount(asked), searchBody(search, next.value)]);
    const count = keyed?.total ?? 0;
    last = { step: next.value, found };
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
    last = { step, found };
    next = steps.next(totalOf(found));
  }
  return { ...last, result: next.value };
}

function totalOf(found: Found | undefined): number {
  return found?.total ?? 0;
}

function run({ target, preference, signal }: Search, bodies: readonly object[]): Promise<Found[]> {
  return runSearches(target, bodies, { preference, signal });
}

function keyCount(step: TermStep): object {
  return { size: 0, query: compileStep(step).match };
}

function searchBody({ query, filters }: Search, step: TermStep): object {
  const { filter, must, should } = compileStep(step).scored;
  const { from, size } = windowOf(query, step);
  return {
    from,
    size,
    query: { bool: { filter: [...filter, ...filters.common], must, should } },
    post_filter: allOf([...filters.own.values()]),
    sort: sortOf(query),
    ...(query.facets && { aggs: compileFacets(query.facets, filters.own) }),
  };
}

function ranksByNames({ sort = "relevance", order = "desc" }: SearchQuery, step: TermStep): boolean {
  return sort === "relevance" && order === "desc" && step.kind === "words";
}

/** The page. If it contains some of the best hits that are ranked again, all of these are included. */
function windowOf(query: SearchQuery, step: TermStep): { from: number; size: number } {
  const { offset, limit } = query;
  if (!ranksByNames(query, step) || offset >= rerankedHits) return { from: offset, size: limit };
  return { from: 0, size: Math.max(rerankedHits, offset + limit) };
}

/**
 * A total order: products that are otherwise equal are ordered by `_id`, as the number tells it. Indexes of the release
 * before have no such number, and only row ids decide.
 */
function sortOf({ sort = "relevance", order = defaultOrders[sort] }: SearchQuery): object[] {
  const tie = { order: "asc", unmapped_type: "long" };
  const ties = [{ quality: "desc" }, { tie }, { rowId: "asc" }];
  const { column, byRelevance } = sortColumns[sort];
  return [{ [column]: order }, ...(byRelevance ? [{ _score: "desc" }] : []), ...ties];
}

/** The hits of the window: the best ones ranked by their names, the others after them unchanged. */
function rankedIds(query: SearchQuery, { step, found, result }: Outcome, boosts: Boosts = []): number[] {
  const hits = found?.hits ?? [];
  const best =
    ranksByNames(query, step) && windowOf(query, step).from === 0 ? hits.slice(0, rerankedHits) : [];
  return [
    ...result.rankByNames(best.map((hit) => toNamedHit(hit, factorOf(hit, boosts)))),
    ...hits.slice(best.length).map(({ rowId }) => rowId),
  ];
}

/** Of the largest number that OpenSearch has. */
const tieDigits = 19;

/** For a search that is sorted by relevance. */
function toNamedHit({ rowId, name, language, sort }: Hit, factor: number | undefined): NamedHit {
  const [score, quality, tie] = sort;
  return {
    id: rowId,
    score: Number(score),
    factor,
    name,
    language,
    quality: Number(quality),
    tieKey: String(tie).padStart(tieDigits, "0"),
  };
}

/** Checks for each word whether one of the first hits has it. Needed only if words were dropped. */
async function wordsOfFirst(
  search: Search,
  outcome: Outcome,
): Promise<((place: number) => boolean) | undefined> {
  const { step, found } = outcome;
  if (found === undefined || found.total === 0) return undefined;
  if (step.kind !== "words" || step.share === undefined) return () => true;
  const first = { ...search.query, offset: 0, limit: firstHits, facets: undefined };
  const { offset, limit } = search.query;
  const hasFirst = ranksByNames(search.query, step)
    ? offset < rerankedHits
    : offset === 0 && limit >= firstHits;
  const [best] = hasFirst ? [found] : await run(search, [searchBody({ ...search, query: first }, step)]);
  const ids = new Set(rankedIds(first, { ...outcome, found: best }).slice(0, firstHits));
  const names = new Set(
    best?.hits.filter(({ rowId }) => ids.has(rowId)).flatMap((hit) => hit.matchedQueries),
  );
  return (place) => names.has(nameOf(place));
}

/** The best products that have only some of the words. */
async function findRelated(
  search: Search,
  { step, result }: Outcome,
  limit: number,
  without: readonly Clause[] = [],
): Promise<number[]> {
  if (result.words.length === 0) return [];
  const { words } = result;
  const related = { kind: "words", words, key: undefined, share: undefined } as const;
  const query: SearchQuery = { text: search.query.text, offset: 0, limit };
  const { filters } = search;
  const [found] = await run(search, [
    {
      ...windowOf(query, related),
      sort: sortOf(query),
      // Without it, only products that can be among the best are read.
      track_total_hits: false,
      query: {
        bool: {
          should: pointsOfWords({ words }, false),
          minimum_should_match: 1,
          filter: [...filters.common, ...filters.own.values()],
          must_not: [compileStep(step).match, ...without],
        },
      },
    },
  ]);
  return rankedIds(query, { step: related, found, result }).slice(0, limit);
}

/** The facets of a search, which was sent as `body`. */
async function facetsOf(search: Search, body: object, aggregated: unknown): Promise<Facets> {
  const request = search.query.facets ?? { of: [], limit: 0 };
  const facets = readFacets(request, aggregated);
  return { ...facets, attributes: await countAttributes(search, body, bucketsOf(aggregated)) };
}

/** The values of attributes are counted by a second request, when it is known which attributes the matches have. */
async function countAttributes(search: Search, body: object, buckets: Buckets): Promise<AttributeFacet[]> {
  const { query, filters } = search;
  const { facets } = query;
  if (facets?.attributes === undefined) return [];
  const chosen = chooseAttributes(facets.attributes, filters.own, buckets);
  const aggs = valueAggregations(chosen, filters.own);
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

/** Counts each facet over the matches that pass the other facets' filters. */
function compileFacets(request: FacetRequest, own: ReadonlyMap<FilterKey, Clause>): Record<string, unknown> {
  return {
    ...Object.fromEntries(
      countedFacets(request).map((facet) => {
        const { field, own: key } = facetFields[facet];
        const others = clausesWithout(own, key);
        const limit = facet === "categoryPaths" ? (request.paths ?? 0) : request.limit;
        const isTyped = request.beginning?.facet === facet;
        const size = field === "valueClass" ? valueClasses : isTyped ? valuesPerShard : Math.max(1, limit);
        const shardSize = field === "valueClass" ? valueClasses : Math.max(valuesPerShard, limit);
        const terms = { field, size, shard_size: shardSize };
        return [
          facet,
          others.length === 0 ? { terms } : { filter: allOf(others), aggs: { values: { terms } } },
        ];
      }),
    ),
    ...(request.attributes !== undefined && nameAggregations(own)),
  };
}

function countedFacets({ of, paths = 0, availability = false }: FacetRequest): CountedFacet[] {
  return [
    ...of,
    ...(paths > 0 ? (["categoryPaths"] as const) : []),
    ...(availability ? (["availability"] as const) : []),
  ];
}

function bucketsOf(response: unknown): Buckets {
  const found = aggregations.parse(response ?? {});
  return (name) => found[name]?.buckets ?? [];
}

function readFacets(request: FacetRequest, response: unknown): Omit<Facets, "attributes"> {
  const bucketsIn = bucketsOf(response);
  const { limit, paths = 0, beginning } = request;
  const counted = countedFacets(request);
  const buckets = (facet: CountedFacet) => (counted.includes(facet) ? bucketsIn(facet) : []);
  const names = (facet: CountedFacet, most: number): FacetValue[] =>
    keepBeginning(
      buckets(facet).map(({ key, doc_count }) => ({ name: String(key), documents: doc_count })),
      beginning?.facet === facet ? beginning.text : undefined,
      most,
    );
  const ranges = (kind: RangeKind) =>
    facetRanges(
      kind,
      buckets(kind).map(({ key, doc_count }) => [Number(key), doc_count]),
    );
  return {
    brands: names("brands", limit),
    categories: names("categories", limit),
    stores: names("stores", limit),
    price: ranges("price"),
    rating: ranges("rating"),
    categoryPaths: names("categoryPaths", paths),
    availability: buckets("availability").map(({ key, doc_count }) => ({
      code: Number(key),
      documents: doc_count,
    })),
  };
}

interface CompiledFilters {
  /** Every match passes these. */
  readonly common: readonly Clause[];
  /** Filters that are ignored when the facet of the same kind is counted. */
  readonly own: ReadonlyMap<FilterKey, Clause>;
}

/** For each word of a text, the terms of which a document must have one. */
type TermsOfText = (text: string) => readonly (readonly string[])[];

/** `apart` are the facets that are counted without their own filter. */
function compileFilters(
  filters: SearchFilters,
  apart: readonly FilterKey[],
  termsOf: TermsOfText,
): CompiledFilters {
  const byKind: ReadonlyArray<readonly [FilterKey, readonly Clause[]]> = [
    ["brands", namesFilter("brandKey", filters.brands)],
    ["stores", namesFilter("storeKey", filters.stores)],
    ["price", rangeFilter("priceMinor", filters.minPriceMinor, filters.maxPriceMinor)],
    ["rating", rangeFilter("rating", asFloat(filters.minRating))],
    ["availability", availabilityFilter(filters)],
    ...filterKeys(filters).map(({ kind, keys }): readonly [FilterKey, readonly Clause[]] => [
      kind,
      [kind === "categories" ? categoryFilter(keys, filters.categories) : { terms: { tagKeys: keys } }],
    ]),
  ];
  const common = otherFilters(filters, termsOf);
  const own = new Map<FilterKey, Clause>();
  for (const [kind, clauses] of byKind) {
    const [clause] = clauses;
    if (clause === undefined) continue;
    if (apart.includes(kind)) own.set(kind, clause);
    else common.push(clause);
  }
  return { common, own };
}

function otherFilters(
  { source, minDiscount, require = [], exclude = [], kinds }: SearchFilters,
  termsOf: TermsOfText,
): Clause[] {
  const hasWords = (text: string) => hasAll(termsOf(text));
  return [
    ...(source === undefined ? [] : [{ term: { source } }]),
    ...rangeFilter("discount", asFloat(minDiscount)),
    ...require.map((group) => anyOf(group.map(hasWords))),
    ...(kinds === undefined ? [] : [anyOf(kinds.map((kind) => ofKind(kind, hasWords)))]),
    ...exclude.map((text) => ({ bool: { must_not: [hasWords(text)] } })),
  ];
}

function ofKind({ category, words }: KindFilter, hasWords: (text: string) => Clause): Clause {
  const ofCategory = category === "" ? [] : namesFilter("categoryKey", [category]);
  return words === "" && ofCategory.length > 0 ? allOf(ofCategory) : allOf([...ofCategory, hasWords(words)]);
}

function availabilityFilter({ availability }: SearchFilters): Clause[] {
  return availability === undefined ? [] : [{ terms: { availability } }];
}

/** Indexes of the release before have no keys of levels: there a category is only the last name of the first path. */
function categoryFilter(keys: readonly string[], names: readonly string[] = []): Clause {
  return anyOf([{ terms: { tagKeys: keys } }, ...namesFilter("categoryKey", names)]);
}

function namesFilter(field: string, names: readonly string[] | undefined): Clause[] {
  return names === undefined ? [] : [{ terms: { [field]: names.map(nameKey) } }];
}

function rangeFilter(field: string, least: number | undefined, most?: number): Clause[] {
  if (least === undefined && most === undefined) return [];
  return [
    {
      range: {
        [field]: { ...(least !== undefined && { gte: least }), ...(most !== undefined && { lte: most }) },
      },
    },
  ];
}

/** The columns have 32 bits, so a bound is rounded in the same way. */
function asFloat(bound: number | undefined): number | undefined {
  return bound === undefined ? undefined : Math.fround(bound);
}

/** All the words of a text; a text without words matches no document. */
function hasAll(words: readonly (readonly string[])[]): Clause {
  return words.length === 0 ? { match_none: {} } : allOf(words.map(hasAnyTerm));
}
