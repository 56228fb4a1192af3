import type { FacetKind, FacetRequest, SearchFilters } from "../search/search-query.ts";

/** How the facets of a query are counted. */
export interface FacetPlan {
  /** Facets whose own filter is ignored in their counts. */
  readonly apart: readonly FacetKind[];
  /** A facet that is counted over all documents of the source, because the query has no filter other than its own. */
  readonly whole: FacetKind | undefined;
  /** Without a text, facets that are counted over the documents of the only other filter. */
  readonly byOther: ReadonlyMap<FacetKind, SearchFilters>;
  readonly source: number | undefined;
}

const noOthers: FacetPlan["byOther"] = new Map();

export function planFacets(
  request: FacetRequest | undefined,
  filters: SearchFilters,
  hasWords: boolean,
): FacetPlan {
  const { source } = filters;
  const apart = request?.ignoreOwnFilter ? request.of.filter((kind) => hasFilter(filters, kind)) : [];
  const [only, second] = apart;
  if (hasWords || only === undefined || apart.length > 2 || asksMore(filters, apart))
    return { apart, whole: undefined, byOther: noOthers, source };
  if (second === undefined) return { apart: [], whole: only, byOther: noOthers, source };
  const byOther = new Map([
    [only, pickFilters(filters, second)],
    [second, pickFilters(filters, only)],
  ]);
  return { apart: [], whole: undefined, byOther, source };
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

/** Whether there is a filter other than those of the facets and the source. */
function asksMore(filters: SearchFilters, kinds: readonly FacetKind[]): boolean {
  const own: readonly string[] = ["source", ...kinds.flatMap((kind) => filtersOf[kind])];
  return Object.entries(filters).some(([name, value]) => value !== undefined && !own.includes(name));
}

function pickFilters(filters: SearchFilters, kind: FacetKind): SearchFilters {
  const names: readonly string[] = ["source", ...filtersOf[kind]];
  return Object.fromEntries(Object.entries(filters).filter(([name]) => names.includes(name)));
}
