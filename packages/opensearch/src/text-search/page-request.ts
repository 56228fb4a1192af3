import {
  defaultOrders,
  filterKeys,
  type NamedHit,
  type RulePin,
  rerankedHits,
  type SearchQuery,
  type SearchRules,
  type SortKey,
  type TermResult,
  type TermStep,
} from "@product-search/text-index";
import { type CompiledFilters, namesFilter, tagFilter } from "./compile-filters.ts";
import {
  allOf,
  anyOf,
  type Clause,
  compileStep,
  hasEveryUnit,
  nameOf,
  pointsOfWords,
} from "./compile-step.ts";
import { type Found, type Hit, runSearches, type SearchTarget } from "./run-searches.ts";

export interface Search {
  readonly target: SearchTarget;
  readonly query: SearchQuery;
  readonly filters: CompiledFilters;
  readonly preference: string;
  readonly signal: AbortSignal | undefined;
  /** What hits return, if it is more than usual. */
  readonly fields?: readonly string[];
}

export interface Outcome {
  /** The last step, whose documents are the matches. */
  readonly step: TermStep;
  /** Undefined if no request was needed. */
  readonly response: Found | undefined;
  readonly result: TermResult;
}

export type Boosts = NonNullable<SearchRules["boosts"]>;

/** The field of each sort, and whether relevance orders equal values before quality does. */
const sortColumns: Record<SortKey, { column: string; byRelevance: boolean }> = {
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
}

/** The page of a query, from what a step finds. */
export function pageBody(
  { query, filters, fields }: Search,
  step: TermStep,
  { boosts: ruled = [], without = [] }: PageChanges = {},
): Record<string, unknown> {
  const { filter, must, should } = compileStep(step).scored;
  const { from, size } = windowOf(query, step);
  const hidden = without.length === 0 ? {} : { must_not: without };
  const boosts = boostsOf(query, ruled);
  const plain = { bool: { filter: [...filter, ...filters.common], must, should, ...hidden } };
  return {
    from,
    size,
    // The one factor of boosted products gives few different fractions: a script would only take time.
    query: ruled.length === 0 ? withFactors(plain, boosts) : rounded(withFactors(plain, boosts)),
    post_filter: allOf([...filters.own.values()]),
    sort: sortOf(query),
    ...(fields && { docvalue_fields: fields }),
  };
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
  const functions = boosts.map(({ filters, ids, factor }, place) => {
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

export function ranksByNames({ sort = "relevance", order = "desc" }: SearchQuery, step: TermStep): boolean {
  return sort === "relevance" && order === "desc" && step.kind === "words";
}

/** The page. If it contains some of the best hits that are ranked again, all of these are included. */
export function windowOf(query: SearchQuery, step: TermStep): { from: number; size: number } {
  const { offset, limit } = query;
  if (!ranksByNames(query, step) || offset >= rerankedHits) return { from: offset, size: limit };
  return { from: 0, size: Math.max(rerankedHits, offset + limit) };
}

/**
 * A total order: products that are otherwise equal are ordered by `_id`, as the number tells it. Indexes of the release
 * before have no such number, and only row ids decide.
 */
export function sortOf({ sort = "relevance", order = defaultOrders[sort] }: SearchQuery): object[] {
  const tie = { order: "asc", unmapped_type: "long" };
  const ties = [{ quality: "desc" }, { tie }, { rowId: "asc" }];
  const { column, byRelevance } = sortColumns[sort];
  return [{ [column]: order }, ...(byRelevance ? [{ _score: "desc" }] : []), ...ties];
}

/** The hits of the window: the best ones ranked by their names, the others after them unchanged. */
export function rankedHits(
  query: SearchQuery,
  { step, response, result }: Outcome,
  ruled: Boosts = [],
): Hit[] {
  const boosts = boostsOf(query, ruled);
  const hits = response?.hits ?? [];
  const best =
    ranksByNames(query, step) && windowOf(query, step).from === 0 ? hits.slice(0, rerankedHits) : [];
  const byId = new Map(best.map((hit) => [hit.rowId, hit]));
  const ranked = result.rankByNames(best.map((hit) => toNamedHit(hit, factorOf(hit, boosts))));
  return [...ranked.flatMap((id) => byId.get(id) ?? []), ...hits.slice(best.length)];
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

/** The hits of the page. */
export function pageOf(query: SearchQuery, outcome: Outcome, boosts: Boosts = []): Hit[] {
  const start = query.offset - windowOf(query, outcome.step).from;
  return rankedHits(query, outcome, boosts).slice(start, start + query.limit);
}

/** Whether one of the hits has the word at a place. */
export function wordsOf(hits: readonly Hit[]): (place: number) => boolean {
  const names = new Set(hits.flatMap(({ matchedQueries }) => matchedQueries));
  return (place) => names.has(nameOf(place));
}

/** The best products that have only some of the words. */
export async function relatedHits(
  search: Search,
  { step, result }: Outcome,
  limit: number,
  without: readonly Clause[],
): Promise<Hit[]> {
  if (result.words.length === 0) return [];
  const { words } = result;
  const related = { kind: "words", words, key: undefined, share: undefined } as const;
  const query: SearchQuery = { text: search.query.text, offset: 0, limit };
  const { filters } = search;
  const [found] = await run(search, [
    {
      ...windowOf(query, related),
      sort: sortOf(query),
      ...(search.fields && { docvalue_fields: search.fields }),
      // Without it, only products that can be among the best are read.
      track_total_hits: false,
      query: {
        bool: {
          should: pointsOfWords({ words }, false),
          minimum_should_match: 1,
          filter: [...filters.common, ...filters.own.values()],
          must_not: [matchOf(step), ...without],
        },
      },
    },
  ]);
  return rankedHits(query, { step: related, response: found, result });
}

/** What a step finds. */
export function matchOf(step: TermStep): Clause {
  return step.kind === "nothing" ? { match_none: {} } : compileStep(step).match;
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

export function readRules(step: TermStep, { hide = [], pin: all = [], boosts = [] }: SearchRules): ReadRules {
  const pin = all.filter(({ id }) => !hide.includes(id));
  const hidden = idsClause(hide);
  const pinned = idsClause(pin.map(({ id }) => id));
  const base = { bool: { filter: [anyOf([matchOf(step), pinned])], must_not: [hidden] } };
  return { base, hidden, pinned, pin, boosts };
}

/** What has every word of the text, without what is hidden. Undefined if nothing has. */
export function fullMatch({ step, result }: Outcome, hidden: Clause): Clause | undefined {
  if (result.describe(undefined).totalWithEveryWord === 0) return undefined;
  return { bool: { filter: [matchOf(step), hasEveryUnit(step)], must_not: [hidden] } };
}
