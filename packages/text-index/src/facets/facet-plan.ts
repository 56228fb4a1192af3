import {
  type FacetKind,
  type FacetRequest,
  type FilterKey,
  facetKinds,
  type SearchFilters,
} from "../search/search-query.ts";
import { attributeKey } from "./segment-tags.ts";

/** How the facets of a query are counted. */
export interface FacetPlan {
  /** Filters that are ignored in the counts of their own facets. */
  readonly apart: readonly FilterKey[];
  /** The filter whose facets are counted over all documents of the source, because the query has no other filter. */
  readonly whole: FilterKey | undefined;
  /** Without a text, facets that are counted over the documents of the only other filter. */
  readonly byOther: ReadonlyMap<FilterKey, SearchFilters>;
  readonly source: number | undefined;
  /** What tells the matches, if filters alone do: customers look at the same parts of the catalog again and again. */
  readonly filtersAlone: string | undefined;
}

const noOthers: FacetPlan["byOther"] = new Map();

export function planFacets(
  request: FacetRequest | undefined,
  filters: SearchFilters,
  { hasWords, isGrouped }: { hasWords: boolean; isGrouped: boolean },
): FacetPlan {
  const { source } = filters;
  if (request === undefined)
    return { apart: [], whole: undefined, byOther: noOthers, source, filtersAlone: undefined };
  const filtersAlone = hasWords || isGrouped ? undefined : JSON.stringify(filters);
  const keys = keysOf(filters);
  const apart = request.ignoreOwnFilter ? keys.filter((key) => isCounted(request, key)) : [];
  const [only, second] = apart;
  const asksMore = apart.length < keys.length || hasOtherFilter(filters);
  // Documents of groups are needed one by one: they cannot be counted in advance.
  if (hasWords || isGrouped || only === undefined || apart.length > 2 || asksMore)
    return { apart, whole: undefined, byOther: noOthers, source, filtersAlone };
  if (second === undefined) return { apart: [], whole: only, byOther: noOthers, source, filtersAlone };
  const byOther = new Map([
    [only, pickFilters(filters, second)],
    [second, pickFilters(filters, only)],
  ]);
  return { apart: [], whole: undefined, byOther, source, filtersAlone };
}

/** Filters by one value of a product, which its facet may ignore. */
const filtersOf: Record<SimpleKey, readonly (keyof SearchFilters)[]> = {
  brands: ["brands"],
  categories: ["categories"],
  stores: ["stores"],
  price: ["minPriceMinor", "maxPriceMinor"],
  rating: ["minRating"],
  availability: ["availability"],
  onSale: ["onSale"],
};
type SimpleKey = FacetKind | "availability" | "onSale";
const simpleKeys = [...facetKinds, "availability", "onSale"] as const;

/** The filters of a query that a facet may ignore. */
function keysOf(filters: SearchFilters): FilterKey[] {
  const simple = simpleKeys.filter((key) => filtersOf[key].some((name) => filters[name] !== undefined));
  return [
    ...new Set<FilterKey>([
      ...simple,
      ...[...(filters.attributes ?? []), ...(filters.ranges ?? [])].map(({ name }) => attributeKey(name)),
    ]),
  ];
}

function isCounted({ names, attributes }: FacetRequest, key: FilterKey): boolean {
  if (key === "categories") return names.includes(key) || names.includes("categoryPaths");
  if (isSimple(key)) return names.includes(key);
  if (attributes === undefined) return false;
  return attributes.frequent > 0 || attributes.names.some((name) => attributeKey(name) === key);
}

function isSimple(key: FilterKey): key is SimpleKey {
  return key in filtersOf;
}

const ignoredFilters = new Set<string>([
  ...Object.values(filtersOf).flat(),
  ...(["source", "attributes", "ranges", "bounds"] satisfies (keyof SearchFilters)[]),
]);

/** Whether it has one that no facet ignores. */
function hasOtherFilter(filters: SearchFilters): boolean {
  return Object.entries(filters).some(([name, value]) => value !== undefined && !ignoredFilters.has(name));
}

/** Without the filters by one value that have these keys. */
export function withoutFilters(filters: SearchFilters, keys: readonly FilterKey[]): SearchFilters {
  if (keys.length === 0) return filters;
  const names = keys.filter(isSimple).flatMap((key) => filtersOf[key]);
  return { ...filters, ...Object.fromEntries(names.map((name) => [name, undefined])) };
}

export function pickFilters(filters: SearchFilters, key: FilterKey): SearchFilters {
  const { source, attributes = [], ranges, bounds } = filters;
  if (!isSimple(key))
    return {
      source,
      attributes: attributes.filter(({ name }) => attributeKey(name) === key),
      ranges: ranges?.filter(({ name }) => attributeKey(name) === key),
      bounds: bounds?.filter((one) => one.key === key),
    };
  return { source, ...Object.fromEntries(filtersOf[key].map((name) => [name, filters[name]])) };
}
