import {
  availabilities,
  type CatalogSearch,
  type FilterPart,
  facetOf,
  filterParameters,
  ownOf,
  readFilters,
  treePrefix,
} from "./catalog-query.js";
import { refusal, type SearchParameters } from "./filters.js";

/** A query of InstantSearch. */
export interface SearchRequest {
  /** `products`, or with a sort `products/price/asc`; the part before the first slash is yours to choose. `queries`: suggestions. */
  indexName: string;
  params?: object;
  /** `facet`: the values of the field `facet` that begin with `params.facetQuery`. */
  type?: string;
  facet?: string;
}

/** What a request needs of the service. */
export interface Plan {
  request: SearchRequest;
  parameters: SearchParameters;
  /** Undefined if nothing can match. */
  parts: readonly FilterPart[] | undefined;
  /** Without filters and facets. */
  base: CatalogSearch;
  /** The fields whose values are counted; `*` for all. */
  fields: readonly string[];
  /** The same for plans that differ in filters and facets alone. */
  key: string;
  /** Whose response has the facets of this request, too. */
  host?: Plan | undefined;
  guests: Plan[];
  /** Where its search is among those that are sent. */
  place?: number;
  /** For facets whose own filter must hold: where the search is that has everything else. */
  others: Map<string, number>;
}

export const defaultHitsPerPage = 20;
/** `page × count` that the service allows. */
export const lastHit = 10_000;
export const maxFacetValues = 200;

/** The parameters that are read, and those that change nothing here: they are about forms, statistics and people. */
const knownParameters =
  /^(query|page|hitsPerPage|distinct|facets|filters|(facet|numeric)Filters|facet(Query|Name|ingAfterDistinct)|max(FacetHits|ValuesPerFacet)|attributesTo\w+|(highlight|snippet)\w+|responseFields|sortFacetValuesBy|\w*nalytics\w*|userToken|getRankingInfo|ruleContexts)$/;

export function checkParameters(parameters: object): SearchParameters {
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value?.length !== 0 && !knownParameters.test(name))
      throw refusal(`The parameter "${name}"`, "the service has nothing like it");
  }
  return parameters;
}

export function planOf(request: SearchRequest, isGrouped = false): Plan {
  const parameters = checkParameters(request.params ?? {});
  const base = baseOf(request, parameters, isGrouped);
  return {
    request,
    parameters,
    parts: readFilters(parameters),
    base,
    key: JSON.stringify([request.indexName, base, parameters.maxValuesPerFacet]),
    fields: request.type === "facet" ? [request.facet ?? ""] : [parameters.facets ?? []].flat(),
    guests: [],
    others: new Map(),
  };
}

function baseOf(
  { indexName, type, facet = "" }: SearchRequest,
  parameters: SearchParameters,
  isGrouped: boolean,
): CatalogSearch {
  const { query = "", distinct = isGrouped, facetQuery = "", maxFacetHits = 10 } = parameters;
  if (Number(distinct) > 1) throw refusal(`distinct: ${distinct}`, "use true or false");
  const [, sort, order] = /^[^/]*\/(.+?)(?:\/(asc|desc))?$/.exec(indexName) ?? [];
  const isOfFacet = type === "facet";
  return {
    ...(query.trim() !== "" && { q: [...query].slice(0, 512).join("") }),
    ...(distinct && { grouped: true }),
    ...(!isOfFacet && sort && { sort }),
    ...(!isOfFacet && order && { order }),
    ...(isOfFacet && { maxFacetValues: facet.startsWith(treePrefix) ? maxFacetValues : maxFacetHits }),
    ...(isOfFacet && facetQuery.trim() !== "" && facetQueryOf(facet, facetQuery)),
  };
}

function facetQueryOf(field: string, text: string): CatalogSearch {
  const facet = facetOf(field);
  if (facet === "availability" || facet === "onSale") return {};
  return { facetQuery: `${facet.replace(/[\\:]/g, "\\$&")}:${text.trim()}` };
}

/**
 * For each field with alternatives InstantSearch sends the query once more, without the filter on that field and without
 * hits. The service counts a facet without its own filter anyway, so the response to the first query has it all.
 */
export function shareSearches(plans: readonly Plan[]): void {
  for (const plan of plans) {
    const { hitsPerPage, analytics } = plan.parameters;
    if (hitsPerPage !== 0 || analytics !== false || !plan.parts) continue;
    plan.host = plans.find((one) => one !== plan && !one.host && hasFacetsOf(one, plan));
    plan.host?.guests.push(plan);
  }
}

function hasFacetsOf(host: Plan, { key, parts, fields }: Plan): boolean {
  if (!host.parts || host.key !== key) return false;
  return fields.every((field) => field !== "*" && without(host.parts, field) === without(parts, field));
}

/** What holds for the counts of a field in the response of the service. */
function without(parts: readonly FilterPart[] = [], field: string): string {
  const others = parts.filter(({ own }) => own !== ownOf(field));
  return others
    .map(({ parameter, value }) => JSON.stringify([parameter, value]))
    .sort()
    .join();
}

/** Adds the searches that the plan needs. */
export function addSearches(plan: Plan, searches: CatalogSearch[]): void {
  const { parts, base, fields, guests, host } = plan;
  if (!parts || host) return;
  const shared = guests.flatMap((guest) => guest.fields);
  plan.place = searches.push({ ...searchOf(plan, parts, [...fields, ...shared]), ...pageOf(plan) }) - 1;
  for (const field of fields) {
    const complement = !base.grouped && !shared.includes(field) && complementOf(parts, field);
    if (complement)
      plan.others.set(field, searches.push({ ...searchOf(plan, complement, [field]), ...noHits }) - 1);
  }
}

const allFacets = [
  "brands",
  "categories",
  "stores",
  "availability",
  "onSale",
  "price",
  "rating",
  "categoryPaths",
  "attributes",
];

const noHits = { count: 1, relatedCount: 0 };

function searchOf(
  { base, parameters: { maxValuesPerFacet = 100 } }: Plan,
  parts: readonly FilterPart[],
  fields: readonly string[],
): CatalogSearch {
  const facets = [...new Set(fields.flatMap((field) => (field === "*" ? allFacets : facetOf(field))))];
  // The levels of categories come in one list.
  const count = facets.includes("categoryPaths")
    ? maxFacetValues
    : Math.min(maxValuesPerFacet, maxFacetValues);
  return {
    ...(facets.length > 0 && { facets, maxFacetValues: count }),
    ...base,
    // The service wants a word or a filter.
    ...(!base.q && parts.length === 0 && { availability: availabilities }),
    ...filterParameters(parts),
  };
}

function pageOf({ request, base, parameters }: Plan): CatalogSearch {
  const {
    page = 0,
    hitsPerPage = defaultHitsPerPage,
    attributesToSnippet = [],
    attributesToHighlight = [],
  } = parameters;
  // Beyond the last hit there are none to show.
  if (request.type === "facet" || hitsPerPage === 0 || (page + 1) * hitsPerPage > lastHit) return noHits;
  const include = [
    ...(base.q === undefined ? [] : ["highlights"]),
    ...(base.grouped ? ["variants"] : []),
    ...([...attributesToSnippet, ...attributesToHighlight].some((one) => /^description\b/.test(one))
      ? ["description"]
      : []),
  ];
  return { count: hitsPerPage, page: page + 1, ...(include.length > 0 && { include }) };
}

/**
 * A facet whose own filter must hold, of a field of which a product can have several values, counts what all products
 * have, less what those have that do not pass the filter: they are found by its exclusion.
 */
function complementOf(parts: readonly FilterPart[], field: string): FilterPart[] | undefined {
  if (field === "*") return undefined;
  const [part, second] = parts.filter(({ own }) => own === ownOf(field));
  const exclusion = part && { categories: "notCategories", attributes: "notAttributes" }[part.parameter];
  // A hierarchical menu shows the values that pass, and no others.
  const isTree =
    field.startsWith(treePrefix) && part?.names?.every((name) => name.field.startsWith(treePrefix));
  if (!exclusion || second || isTree) return undefined;
  return [...parts.filter((one) => one !== part), { own: "", parameter: exclusion, value: part.value }];
}
