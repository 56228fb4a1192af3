import type { CatalogSearchResponse, Product } from "@product-search/types";
import {
  countOf,
  defaultHitsPerPage,
  facetOf,
  facetsOf,
  lastHit,
  levelOf,
  type SearchParameters,
  toCatalogQuery,
} from "./query.js";
import { callService, type ServiceOptions } from "./service.js";

export interface SearchClientOptions extends ServiceOptions {
  /** Whether the variants of a product are one hit; `nbHits` and facets then count groups. */
  grouped?: boolean;
}

/** A query of InstantSearch. */
export interface SearchRequest {
  /** `products`, or with a sort `products/price/asc`; the part before the first slash is yours to choose. */
  indexName: string;
  params?: SearchParameters & { facetQuery?: string; maxFacetHits?: number };
  /** `facet`: the values of the field `facet` that begin with `params.facetQuery`. */
  type?: string;
  facet?: string;
}

interface HighlightResult {
  value: string;
  matchLevel: "none" | "partial" | "full";
  matchedWords: string[];
}

/** A product, with what InstantSearch's widgets read. */
export type Hit = Product & {
  objectID: string;
  _highlightResult: Record<string, HighlightResult>;
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
  facets: Record<string, Record<string, number>>;
  facets_stats: Record<string, { min: number; max: number; avg: number; sum: number }>;
  /** Joins an event to its search, where the service counts events. */
  queryID?: string;
  /** What the service says of a search, as it says it. */
  correctedQuery?: string;
  ignoredWords?: string[];
  understood?: CatalogSearchResponse["understood"];
  related?: Hit[];
  redirectUrl?: string;
  appliedRules?: { objectID: string }[];
}

interface FacetHits {
  facetHits: { value: string; highlighted: string; count: number }[];
  exhaustiveFacetsCount: boolean;
}

/** What `searchClient` of InstantSearch is, in all its flavours. */
export interface SearchClient {
  /** `Item` is the type that a widget gives its hits. They are products with what InstantSearch reads, see `Hit`. */
  search<Item = Hit>(
    requests: readonly { indexName: string; params?: object }[],
  ): Promise<{ results: SearchResult<Item>[] }>;
}

/** A search client that InstantSearch takes as `searchClient`. Each search is one request to the service. */
export function createSearchClient(options: SearchClientOptions): SearchClient {
  return {
    async search<Item>(requests: readonly SearchRequest[]) {
      const groups = groupRequests(requests);
      const results: unknown[] = await Promise.all(groups.map((group) => respond(options, group)));
      return { results: results.flat().filter(hasItems<Item>) };
    },
  };
}

async function respond(options: SearchClientOptions, group: readonly SearchRequest[]): Promise<object[]> {
  if (group[0]?.type !== "facet") return searchGroup(options, group);
  return Promise.all(group.map((request) => searchFacet(options, request)));
}

/** The caller says what type it gives its hits, as everywhere in InstantSearch. */
function hasItems<Item>(result: unknown): result is SearchResult<Item> {
  return typeof result === "object" && result !== null && ("hits" in result || "facetHits" in result);
}

/**
 * For each field with alternatives InstantSearch sends the query once more, without the filter of that field and without
 * hits. The service counts a facet without its own filter anyway, so one request has it all.
 */
function groupRequests(requests: readonly SearchRequest[]): SearchRequest[][] {
  const groups: SearchRequest[][] = [];
  for (const request of requests) {
    const group = groups.at(-1);
    const isFurther = request.params?.hitsPerPage === 0 && isSameSearch(group?.[0], request);
    if (isFurther && group) group.push(request);
    else groups.push([request]);
  }
  return groups;
}

function isSameSearch(one: SearchRequest | undefined, other: SearchRequest): boolean {
  return one?.indexName === other.indexName && one.params?.query === other.params?.query;
}

async function searchGroup(
  options: SearchClientOptions,
  group: readonly SearchRequest[],
): Promise<SearchResult[]> {
  const [main] = group;
  if (main === undefined) return [];
  const startedAt = Date.now();
  const fields = new Set(group.flatMap(({ params = {} }) => facetsOf(params)));
  const response = await searchCatalog(options, main, new Set([...fields].map(facetOf)));
  const elapsedMs = Date.now() - startedAt;
  return group.map((request) => toResult(request, response, elapsedMs));
}

/** The facets of the response by their names: some of them came with later versions of the service. */
type Response = CatalogSearchResponse & { queryId?: string };

async function searchCatalog(
  options: SearchClientOptions,
  { indexName, params = {} }: SearchRequest,
  facets: ReadonlySet<string>,
): Promise<Response> {
  const query = toCatalogQuery(indexName, params, facets, options.grouped);
  const body = await callService(options, `/search/catalog?${query}`);
  if (isResponse(body)) return body;
  throw new Error("The service sent no products. Is baseUrl the URL of the API, with its version?");
}

function isResponse(body: unknown): body is Response {
  return typeof body === "object" && body !== null && "Products" in body && "count" in body;
}

function toResult(
  { indexName, params = {} }: SearchRequest,
  response: Response,
  elapsedMs: number,
): SearchResult {
  const { query = "", page = 0, hitsPerPage = defaultHitsPerPage } = params;
  const fields = facetsOf(params);
  const count = countOf(params);
  return {
    index: indexName,
    hits: hitsPerPage === 0 ? [] : response.Products.map((product) => toHit(product, params)),
    nbHits: response.count,
    page,
    nbPages: Math.min(Math.ceil(response.count / count), Math.floor(lastHit / count)),
    hitsPerPage: hitsPerPage === 0 ? 0 : count,
    query,
    params: "",
    processingTimeMS: elapsedMs,
    exhaustiveNbHits: true,
    facets: Object.fromEntries(fields.map((field) => [field, valuesOf(field, response)])),
    facets_stats: statsOf(fields, response),
    ...(response.queryId !== undefined && { queryID: response.queryId }),
    ...readingOf(response, params),
  };
}

/** InstantSearch hands on what it does not know: as `results.correctedQuery` and so on. */
function readingOf(response: Response, params: SearchParameters): Partial<SearchResult> {
  const { correctedQuery, ignoredWords, understood, redirectUrl, appliedRules, related } = response;
  return {
    ...(correctedQuery !== undefined && { correctedQuery }),
    ...(ignoredWords !== undefined && { ignoredWords }),
    ...(understood !== undefined && { understood }),
    ...(redirectUrl !== undefined && { redirectUrl }),
    ...(appliedRules !== undefined && { appliedRules: appliedRules.map((id) => ({ objectID: id })) }),
    ...(related !== undefined && { related: related.map((product) => toHit(product, params)) }),
  };
}

/** A value or a range with its count; facets that this version of the types does not know have the same form. */
interface FacetEntry {
  value?: string;
  count: number;
}
type FacetRanges = readonly { from: number; to: number; count: number }[];
type AnyFacets = Readonly<
  Record<string, readonly FacetEntry[] | Readonly<Record<string, readonly FacetEntry[]>>>
>;

function entriesOf(field: string, facets: AnyFacets): readonly FacetEntry[] {
  const facet = facets[field.startsWith(attributePrefix) ? "attributes" : facetOf(field)];
  if (facet === undefined) return [];
  if (isList(facet)) return facet;
  return facet[field.slice(attributePrefix.length)] ?? [];
}

const attributePrefix = "attributes.";

function isList(facet: AnyFacets[string]): facet is readonly FacetEntry[] {
  return Array.isArray(facet);
}

function valuesOf(
  field: string,
  { facets: { attributeRanges: _, ...facets } = {} }: Response,
): Record<string, number> {
  if (field === "averageRating") return ratingCounts(facets.rating ?? []);
  const depth = levelOf(field);
  return Object.fromEntries(
    entriesOf(field, { ...facets }).flatMap(({ value, count }) => {
      const isShown = depth === undefined || value?.split(" > ").length === depth + 1;
      return value !== undefined && isShown ? [[value, count]] : [];
    }),
  );
}

/** InstantSearch adds up the counts of the ratings from a value upwards, as the service's ranges do. */
function ratingCounts(ranges: FacetRanges): Record<string, number> {
  return Object.fromEntries(ranges.map(({ from, count }) => [String(from), count]));
}

function statsOf(fields: readonly string[], { facets }: Response): SearchResult["facets_stats"] {
  const prices = facets?.price ?? [];
  const [first, last] = [prices[0], prices.at(-1)];
  const hasPrice = fields.includes("price") && first !== undefined && last !== undefined;
  const bounds = [
    ...(hasPrice ? [["price", { min: first.from, max: last.to }] as const] : []),
    ...Object.entries(facets?.attributeRanges ?? {}).map(
      ([name, range]) => [`${attributePrefix}${name}`, range] as const,
    ),
  ];
  // The service does not say the average, and no widget shows it.
  return Object.fromEntries(
    bounds.flatMap(([field, { min, max }]) =>
      fields.includes(field) ? [[field, { min, max, avg: 0, sum: 0 }]] : [],
    ),
  );
}

function toHit(product: Product, params: SearchParameters): Hit {
  const { name, brand, highlights } = product;
  const highlight = (text: string) => highlightWords(text, params, highlights?.name);
  return {
    ...product,
    objectID: product._id,
    _highlightResult: { name: highlight(name), ...(brand !== undefined && { brand: highlight(brand) }) },
  };
}

/** InstantSearch escapes the text around its tags. Marked are words that a query's word begins, and what the service marks. */
function highlightWords(
  text: string,
  { query = "", highlightPreTag = "<em>", highlightPostTag = "</em>" }: SearchParameters,
  markedHtml = "",
): HighlightResult {
  const wanted = new Set(fold(query).match(word) ?? []);
  const matched = new Set<string>();
  const value = text.replace(word, (part) => {
    const begins = [...wanted].find((one) => fold(part).startsWith(one));
    if (begins === undefined && !markedHtml.includes(`<mark>${part}</mark>`)) return part;
    matched.add(begins ?? fold(part));
    return `${highlightPreTag}${part}${highlightPostTag}`;
  });
  const matchLevel = matched.size === 0 ? "none" : matched.size >= wanted.size ? "full" : "partial";
  return { value, matchLevel, matchedWords: [...matched] };
}

const word = /[\p{L}\p{N}\p{M}]+/gu;

function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

async function searchFacet(options: SearchClientOptions, request: SearchRequest): Promise<FacetHits> {
  const { facet: facetName = "" } = request;
  const { facetQuery = "", maxFacetHits = 10, ...params } = request.params ?? {};
  const facets = new Set([facetOf(facetName)]);
  const response = await searchCatalog(
    options,
    { ...request, params: { ...params, hitsPerPage: 1, page: 0 } },
    facets,
  );
  const wanted = fold(facetQuery);
  const values = Object.entries(valuesOf(facetName, response))
    .filter(
      ([value]) =>
        (fold(value).match(word) ?? []).some((part) => part.startsWith(wanted)) ||
        fold(value).startsWith(wanted),
    )
    .slice(0, maxFacetHits);
  const tags = { ...params, query: facetQuery };
  const facetHits = values.map(([value, count]) => ({
    value,
    count,
    highlighted: highlightWords(value, tags).value,
  }));
  return { facetHits, exhaustiveFacetsCount: true };
}
