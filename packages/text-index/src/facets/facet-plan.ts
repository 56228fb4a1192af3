import type { FacetKind, FacetRequest, SearchFilters } from "../search/search-query.ts";

/** How the facets of a query are counted. */
export interface FacetPlan {
  /** Facets whose own filter is ignored in their counts. */
  readonly apart: readonly FacetKind[];
  /** A facet that is counted over all documents of the source, because the query has no filter other than its own. */
  readonly whole: FacetKind | undefined;
  readonly source: number | undefined;
}

export function planFacets(
  request: FacetRequest | undefined,
  filters: SearchFilters,
  hasWords: boolean,
): FacetPlan {
  const { source } = filters;
  const apart = request?.ignoreOwnFilter ? request.of.filter((kind) => hasFilter(filters, kind)) : [];
  const [only, second] = apart;
  if (hasWords || only === undefined || second !== undefined || asksMore(filters, only))
    return { apart, whole: undefined, source };
  return { apart: [], whole: only, source };
}

const filtersOf: Record<FacetKind, readonly (keyof SearchFilters)[]> = {
  brands: ["brands"],
  categories: ["categories"],
  stores: ["stores"],
  price: ["minPriceMinor", "maxPriceMinor"],
  rating: ["minRating"],
};

function hasFilter(filters: SearchFilters, kind: FacetKind): boolean {
  return filtersOf[kind].some((name) => filters[name] !== undefined);
}

/** Whether there is a filter other than the facet's own and the source. */
function asksMore(filters: SearchFilters, kind: FacetKind): boolean {
  const own: readonly string[] = ["source", ...filtersOf[kind]];
  return Object.entries(filters).some(([name, value]) => value !== undefined && !own.includes(name));
}
