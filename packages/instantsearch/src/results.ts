import type { CatalogSearchResponse, Product } from "@product-search/types";
import {
  attributePrefix,
  type FilterPart,
  facetOf,
  fieldsWithFacets,
  fold,
  implies,
  ownOf,
  treePrefix,
} from "./catalog-query.js";
import type { NameFilter, SearchParameters } from "./filters.js";
import { type HighlightResult, highlightsOf, highlightWords } from "./highlight.js";
import { defaultHitsPerPage, lastHit, maxFacetValues, type Plan } from "./plan.js";

/** A product, with what InstantSearch's widgets read. */
export type Hit = Product & {
  objectID: string;
  _highlightResult: Record<string, HighlightResult>;
  _snippetResult?: Record<string, HighlightResult>;
};

export interface SearchResult<Item = Hit> {
  index: string;
  hits: Item[];
  nbHits: number;
  page: number;
  nbPages: number;
  hitsPerPage: number;
  query: string;
  params: string;
  processingTimeMS: number;
  exhaustiveNbHits: boolean;
  exhaustiveFacetsCount: boolean;
  facets: Record<string, Record<string, number>>;
  facets_stats: Record<string, { min: number; max: number; avg: number; sum: number }>;
  /** With all facets: which of them have values, for dynamic widgets. With a redirect of a rule: where to. */
  renderingContent?: {
    facetOrdering?: { facets: { order: string[] } };
    redirect?: { url: string };
  };
  userData?: object[];
  /** Joins an event to its search, where the service counts events. */
  queryID?: string;
  /** What the service says of a search, as it says it. */
  correctedQuery?: string;
  ignoredWords?: string[];
  understood?: CatalogSearchResponse["understood"];
  related?: Hit[];
  redirectUrl?: string;
  appliedRules?: { objectID: string }[];
  /** The service has too much to do, or the token has no searches left for now: there are no hits to show. */
  error?: { status: number; message: string };
}

export interface FacetHits {
  facetHits: { value: string; highlighted: string; count: number }[];
  exhaustiveFacetsCount: boolean;
}

type Response = Pick<CatalogSearchResponse, "Products" | "count" | "facets"> & Partial<CatalogSearchResponse>;

const nothing: Response = { Products: [], count: 0 };

/** What a plan's request is answered with. `responses` are those of the searches that were sent. */
export function toResult(
  plan: Plan,
  responses: readonly Response[],
  elapsedMs: number,
): SearchResult | FacetHits {
  const { request, parameters, host = plan } = plan;
  const response = responseAt(responses, plan.parts && host.place);
  const fields = plan.fields.flatMap((field) => (field === "*" ? fieldsIn(response) : field));
  const valuesOfField = (field: string) =>
    countsOf(plan, field, response, responseAt(responses, plan.others.get(field)));
  if (request.type === "facet") return toFacetHits(plan, valuesOfField(plan.fields[0] ?? ""), response);
  const { query = "", page = 0, hitsPerPage = defaultHitsPerPage } = parameters;
  const { redirectUrl } = response;
  const size = Math.max(hitsPerPage, 1);
  const hasHits = host === plan && hitsPerPage > 0 && (page + 1) * size <= lastHit;
  return {
    ...listOf(
      request.indexName,
      hasHits ? response.Products.map((product) => toHit(product, parameters)) : [],
    ),
    nbHits: response.count,
    page,
    nbPages: Math.min(Math.ceil(response.count / size), Math.floor(lastHit / size)),
    hitsPerPage,
    query,
    processingTimeMS: elapsedMs,
    // The number of hits is that of the query which has the facets, too.
    exhaustiveNbHits: host === plan,
    facets: Object.fromEntries(fields.map((field) => [field, Object.fromEntries(valuesOfField(field))])),
    facets_stats: statsOf(plan, fields, response),
    renderingContent: {
      ...(plan.fields.includes("*") && {
        facetOrdering: {
          facets: { order: fields.filter((field) => field === "price" || valuesOfField(field).size > 0) },
        },
      }),
      ...(redirectUrl && { redirect: { url: redirectUrl } }),
    },
    ...(redirectUrl && { userData: [{ redirect: redirectUrl }] }),
    ...readingOf(response, parameters),
  };
}

/** A result that is nothing but hits. */
export function listOf<Item>(index: string, hits: Item[]): SearchResult<Item> {
  return {
    index,
    hits,
    nbHits: hits.length,
    page: 0,
    nbPages: 1,
    hitsPerPage: hits.length,
    query: "",
    params: "",
    processingTimeMS: 0,
    exhaustiveNbHits: true,
    exhaustiveFacetsCount: true,
    facets: {},
    facets_stats: {},
  };
}

function responseAt(responses: readonly Response[], place: number | undefined): Response {
  return (place !== undefined && responses[place]) || nothing;
}

/** InstantSearch hands on what it does not know: as `results.correctedQuery` and so on. */
function readingOf(response: Response, parameters: SearchParameters): Partial<SearchResult> {
  const { Products: _, facets: __, count, hasMore, page, limit, status, ...reading } = response;
  const { queryId, appliedRules, related, ...others } = reading;
  return {
    ...others,
    ...(queryId !== undefined && { queryID: queryId }),
    ...(appliedRules !== undefined && { appliedRules: appliedRules.map((id) => ({ objectID: id })) }),
    ...(related !== undefined && { related: related.map((product) => toHit(product, parameters)) }),
  };
}

export function toHit(product: Product, parameters: SearchParameters): Hit {
  return { ...product, objectID: product._id, ...highlightsOf(product, parameters) };
}

/** The fields that have values in a response with all facets. */
function fieldsIn({ facets: { categoryPaths = [], attributes = {} } = {} }: Response): string[] {
  const depth = Math.max(0, ...categoryPaths.map(({ value }) => value.split(" > ").length));
  return [
    ...Array.from({ length: depth }, (_, at) => treePrefix + at),
    ...fieldsWithFacets,
    ...Object.keys(attributes).map((name) => attributePrefix + name),
  ];
}

/** The values of a field with their counts, as they are with all filters of the plan. */
function countsOf(plan: Plan, field: string, response: Response, others: Response): Map<string, number> {
  const counts = new Map(entriesOf(field, response));
  const own = plan.parts?.filter((part) => part.own === ownOf(field)) ?? [];
  if (own.length === 0) return counts;
  if (plan.others.has(field)) {
    const excluded = new Map(entriesOf(field, others));
    return new Map(
      [...counts]
        .map(([value, count]) => [value, count - (excluded.get(value) ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  }
  return new Map(
    [...counts].flatMap(([value]) => {
      const count = countWithin(own, { field, value, isExcluded: false }, response);
      return count === undefined ? [] : [[value, count] as const];
    }),
  );
}

/** The count of a value among products that pass the filters on its own field; undefined if it cannot be told. */
function countWithin(own: readonly FilterPart[], name: NameFilter, response: Response): number | undefined {
  const [{ parameter, least = 0, names = [] } = { parameter: "" }, second] = own;
  const countOf = ({ field, value }: NameFilter) =>
    entriesOf(field, response).find((entry) => fold(entry[0]) === fold(value))?.[1];
  if (parameter === "minRating") return Number(name.value) >= least ? countOf(name) : undefined;
  const [first] = names;
  if (first === undefined || second !== undefined) return undefined;
  if (implies([name], names)) return countOf(name);
  // All that is in a category is in those above it, too.
  return names.length === 1 && implies(names, [name]) ? countOf(first) : undefined;
}

type Counts = readonly (readonly [value: string, count: number])[];

function entriesOf(field: string, { facets = {} }: Response): Counts {
  if (field === "price") return [];
  // InstantSearch adds up the counts of the ratings from a value upwards, as the service's ranges do.
  if (field === "averageRating") return (facets.rating ?? []).map(({ from, count }) => [String(from), count]);
  const { price: _, rating: __, attributes = {}, attributeRanges: ___, ...lists } = facets;
  const named: Record<string, { value: string; count: number }[] | undefined> = lists;
  const name = field.slice(attributePrefix.length);
  const list = field.startsWith(attributePrefix) ? attributes[name] : named[facetOf(field)];
  const depth = field.startsWith(treePrefix) && Number(field.slice(treePrefix.length));
  return (list ?? [])
    .filter(({ value }) => depth === false || value.split(" > ").length === depth + 1)
    .map(({ value, count }) => [value, count]);
}

function statsOf(
  { parts = [] }: Plan,
  fields: readonly string[],
  { facets }: Response,
): SearchResult["facets_stats"] {
  const stats = fields.flatMap((field) => {
    const prices = facets?.price ?? [];
    const [first, last] = [prices[0], prices.at(-1)];
    const range =
      field === "price"
        ? first && last && { min: first.from, max: last.to }
        : facets?.attributeRanges?.[field.slice(attributePrefix.length)];
    if (range === undefined) return [];
    const { least = range.min, greatest = range.max } =
      parts.find((part) => part.own === ownOf(field) && !part.names) ?? {};
    const [min, max] = [Math.max(range.min, least), Math.min(range.max, greatest)];
    // The service does not say the average, and no widget shows it.
    return [[field, { min, max, avg: 0, sum: 0 }] as const];
  });
  return Object.fromEntries(stats);
}

function toFacetHits(
  { parameters }: Plan,
  counts: ReadonlyMap<string, number>,
  response: Response,
): FacetHits {
  const { facetQuery = "", maxFacetHits = 10 } = parameters;
  const tags = { ...parameters, query: facetQuery };
  // The service has looked for words in most facets.
  const values = [...counts].filter(([value]) => fold(value).includes(fold(facetQuery.trim())));
  return {
    facetHits: values.slice(0, maxFacetHits).map(([value, count]) => ({
      value,
      count,
      highlighted: highlightWords(value, tags).value,
    })),
    // Levels of categories come in one list, whose end can be beyond what the service sends.
    exhaustiveFacetsCount: (response.facets?.categoryPaths?.length ?? 0) < maxFacetValues,
  };
}
