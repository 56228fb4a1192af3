import {
  defaultOrder,
  filterKeys,
  isNumberColumn,
  isNumberSort,
  type NamedHit,
  type NamedSort,
  type NumberColumn,
  type NumberRange,
  type numbersOf,
  type RulePin,
  rerankedHits,
  type SearchQuery,
  type SearchRules,
  type TermReading,
} from "@product-search/text-index";
import {
  allOf,
  anyOf,
  type Clause,
  type CompiledFilters,
  compileReading,
  namesFilter,
  scoreOf,
  tagFilter,
} from "./compile-query.ts";
import { type Found, type Hit, runSearches, type SearchTarget } from "./run-searches.ts";

export interface Search {
  readonly target: SearchTarget;
  readonly query: SearchQuery;
  readonly filters: CompiledFilters;
  readonly preference: string;
  readonly signal: AbortSignal | undefined;
  /** The least and the greatest number of an attribute's values. */
  rangeOf(attribute: string, values: Iterable<string>): NumberRange | undefined;
  /** How the attribute of the sort is read; undefined for other sorts, and for an attribute that is text. */
  readonly sortedNumbers: ReturnType<typeof numbersOf>;
  /** Whether the attribute with this key is a facet and a filter. */
  isFacet(key: string): boolean;
  /** What hits return, if it is more than usual. */
  readonly fields?: readonly string[];
}

export interface Outcome {
  readonly reading: TermReading;
  /** Its page. Undefined if no request was needed. */
  readonly response: Found | undefined;
}

export type Boosts = NonNullable<SearchRules["boosts"]>;

/** The field of each sort, and whether relevance orders equal values before quality does. */
const sortColumns: Record<Exclude<NamedSort, NumberColumn>, { column: string; byRelevance: boolean }> = {
  relevance: { column: "_score", byRelevance: false },
  price: { column: "priceMinor", byRelevance: false },
  "price:relevance": { column: "priceMinor", byRelevance: true },
  rating: { column: "rating", byRelevance: true },
  discount: { column: "discount", byRelevance: true },
  popularity: { column: "quality", byRelevance: false },
};

export function totalOf(response: Found | undefined): number {
  return response?.total ?? 0;
}

export function run({ target, preference, signal }: Search, bodies: readonly object[]): Promise<Found[]> {
  return runSearches(target, bodies, { preference, signal });
}

/** What changes a page besides its query. */
export interface PageChanges {
  readonly boosts?: Boosts;
  /** Products that are not on it. */
  readonly without?: readonly Clause[];
  /** Products that are on it as well. */
  readonly joined?: Clause;
}

/** The page of a query, from what its text means. */
export function pageBody(
  { query, filters, sortedNumbers, fields }: Search,
  reading: TermReading,
  { boosts: ruled = [], without = [], joined }: PageChanges = {},
): Record<string, unknown> {
  const { filter, must, should: ranking } = compileReading(reading).scored;
  const should = [...ranking, ...filters.nearness];
  const { from, size } = windowOf(query, reading);
  const hidden = without.length === 0 ? {} : { must_not: without };
  const boosts = boostsOf(query, ruled);
  const matching = { bool: { filter, must, should } };
  const plain =
    joined === undefined
      ? { bool: { filter: [...filter, ...filters.common], must, should, ...hidden } }
      : { bool: { filter: filters.common, must: [anyOf([matching, constantScore(joined)])], ...hidden } };
  return {
    from,
    size,
    // The one factor of boosted products gives few different fractions: a script would only take time.
    query: ruled.length === 0 ? withFactors(plain, boosts) : rounded(withFactors(plain, boosts)),
    post_filter: allOf([...filters.own.values()]),
    sort: sortOf(query, sortedNumbers),
    ...(fields && { docvalue_fields: fields }),
  };
}

function constantScore(filter: Clause): Clause {
  return { constant_score: { filter, boost: 0 } };
}

/** Those of the rules, and that of boosted products. */
function boostsOf(
  { boostFactor = 1, sort = "relevance", order = "desc", text }: SearchQuery,
  ruled: Boosts,
): Boosts {
  const isBoosting = boostFactor !== 1 && sort === "relevance" && order === "desc" && text.trim() !== "";
  return isBoosting ? [...ruled, { filters: { boosted: true }, factor: boostFactor }] : ruled;
}

/** Each factor is named, so that hits tell which they have. */
function withFactors(query: Clause, boosts: Boosts): Clause {
  if (boosts.length === 0) return query;
  const functions = boosts.map(({ filters, rowIds: ids, factor }, place) => {
    const conditions = [
      ...namesFilter("brandKey", filters.brands),
      ...filterKeys(filters).map(({ kind, keys }) => tagFilter(kind, keys, filters)),
      ...(ids === undefined ? [] : [idsClause(ids)]),
    ];
    return { filter: { bool: { filter: conditions, _name: boostName(place) } }, weight: factor };
  });
  return { function_score: { query, functions, score_mode: "multiply", boost_mode: "multiply" } };
}

/** As in the embedded index. */
function rounded(query: Clause): Clause {
  return { script_score: { query, script: { source: "Math.round(_score * 1000.0) / 1000.0" } } };
}

export function idsClause(ids: readonly number[]): Clause {
  return { ids: { values: ids.map(String) } };
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

export function ranksByNames(
  { sort = "relevance", order = "desc" }: SearchQuery,
  { finds }: TermReading,
): boolean {
  return sort === "relevance" && order === "desc" && finds === "words";
}

/** The page. If it contains some of the best hits that are ranked again, all of these are included. */
export function windowOf(query: SearchQuery, reading: TermReading): { from: number; size: number } {
  const { offset, limit } = query;
  if (!ranksByNames(query, reading) || offset >= rerankedHits) return { from: offset, size: limit };
  return { from: 0, size: Math.max(rerankedHits, offset + limit) };
}

/**
 * Numbers are read from the keys that filters compare: each ends with its dimension, 16 digits and the number. Products without
 * one come last under both orders. Numbers without a unit are rounded as in the embedded index.
 */
function numberOrder(numbers: NonNullable<Search["sortedNumbers"]>, order: "asc" | "desc"): object {
  const source = `double best = params.none;
    if (!doc.containsKey('numbers')) return best;
    for (String key : doc['numbers']) {
      if (!key.startsWith(params.prefix)) continue;
      int end = key.lastIndexOf(' ');
      String dimension = key.substring(params.prefix.length(), end - 17);
      double number = Double.parseDouble(key.substring(end + 1));
      if (dimension != params.dimension) {
        if (dimension != '') continue;
        number *= params.factor;
        number = BigDecimal.valueOf(number).round(new MathContext(12)).doubleValue();
      }
      if (best == params.none || (params.isAscending ? number < best : number > best)) best = number;
    }
    return best;`;
  const isAscending = order === "asc";
  const none = isAscending ? Number.MAX_VALUE : -Number.MAX_VALUE;
  const params = { ...numbers, none, isAscending };
  return { _script: { type: "number", order, script: { source, params } } };
}

/** Indexes of the release before lack some columns: there no product has a value. */
function columnOrder(column: string, order: "asc" | "desc"): object {
  return { [column]: column === "_score" ? order : { order, unmapped_type: "double" } };
}

/**
 * A total order: products that are otherwise equal are ordered by `_id`, as the number tells it. Indexes of the release
 * before have no such number, and only row ids decide.
 */
function sortOf(query: SearchQuery, numbers: Search["sortedNumbers"]): object[] {
  const { sort = "relevance", order = defaultOrder(sort) } = query;
  const tie = { order: "asc", unmapped_type: "long" };
  const ties = [{ quality: "desc" }, { tie }, { rowId: "asc" }];
  const { column, byRelevance } = isNumberSort(sort)
    ? { column: undefined, byRelevance: true }
    : isNumberColumn(sort)
      ? { column: sort, byRelevance: true }
      : sortColumns[sort];
  return [
    ...(hasLast(query) ? [lastOrder] : []),
    ...(column === undefined ? [] : [columnOrder(column, order)]),
    ...(numbers === undefined ? [] : [numberOrder(numbers, order)]),
    ...(byRelevance ? [{ _score: "desc" }] : []),
    ...ties,
  ];
}

const lastOrder = { outOfStock: { order: "asc", missing: 0, unmapped_type: "byte" } };

function hasLast({ sort = "relevance", lastAvailability }: SearchQuery): boolean {
  return sort === "relevance" && lastAvailability !== undefined;
}

/** The hits of the window: the best ones ranked by their names, the others after them unchanged. */
export function rankedHits(query: SearchQuery, { reading, response }: Outcome, ruled: Boosts = []): Hit[] {
  const boosts = boostsOf(query, ruled);
  const hits = response?.hits ?? [];
  const best =
    ranksByNames(query, reading) && windowOf(query, reading).from === 0 ? hits.slice(0, rerankedHits) : [];
  const byId = new Map(best.map((hit) => [hit.rowId, hit]));
  const ranked = reading.rankByNames(
    best.map((hit) => toNamedHit(hit, factorOf(hit, boosts), hasLast(query))),
  );
  return [...ranked.flatMap((id) => byId.get(id) ?? []), ...hits.slice(best.length)];
}

/** For a search that is sorted by relevance. */
function toNamedHit(
  { rowId, name, language, sort }: Hit,
  factor: number | undefined,
  isLastFirst: boolean,
): NamedHit {
  const [last, score, quality, tie] = isLastFirst ? sort : [0, ...sort];
  return {
    id: rowId,
    score: Number(score),
    factor,
    isLast: last === 1,
    name,
    language,
    quality: Number(quality),
    tie: Number(tie),
  };
}

/** The hits of the page. */
export function pageOf(query: SearchQuery, outcome: Outcome, boosts: Boosts = []): Hit[] {
  const start = query.offset - windowOf(query, outcome.reading).from;
  return rankedHits(query, outcome, boosts).slice(start, start + query.limit);
}

/** The best products that have only some of the words. */
export async function relatedHits(
  search: Search,
  reading: TermReading,
  limit: number,
  without: readonly Clause[],
): Promise<Hit[]> {
  const { relatedWords: words } = reading;
  if (words.length === 0) return [];
  const related = { ...reading, finds: "words", words, key: undefined } as const;
  const query: SearchQuery = { text: search.query.text, offset: 0, limit };
  const { filters } = search;
  const [response] = await run(search, [
    {
      ...windowOf(query, related),
      sort: sortOf(query, undefined),
      ...(search.fields && { docvalue_fields: search.fields }),
      // Without it, only products that can be among the best are read.
      track_total_hits: false,
      query: {
        bool: {
          should: words.map(scoreOf),
          minimum_should_match: 1,
          filter: [...filters.common, ...filters.own.values()],
          must_not: [compileReading(reading).match, ...without],
        },
      },
    },
  ]);
  return rankedHits(query, { reading: related, response });
}

export interface ReadRules {
  /** What is counted, before filters. */
  readonly base: Clause;
  readonly hidden: Clause;
  readonly pinned: Clause;
  /** Those that are not hidden. */
  readonly pin: readonly RulePin[];
  readonly boosts: Boosts;
}

export function readRules(
  reading: TermReading,
  { hide = [], pin: all = [], boosts = [] }: SearchRules,
): ReadRules {
  const pin = all.filter(({ rowId: id }) => !hide.includes(id));
  const hidden = idsClause(hide);
  const pinned = idsClause(pin.map(({ rowId: id }) => id));
  const base = { bool: { filter: [anyOf([compileReading(reading).match, pinned])], must_not: [hidden] } };
  return { base, hidden, pinned, pin, boosts };
}
