import type {
  TextFacets,
  TextFilters,
  TextHits,
  TextQuery,
  TextRules,
} from "@product-search/core/ports/text-search.ts";
import { isNumberSort } from "@product-search/core/ports/text-search.ts";
import {
  type FacetRequest,
  type Facets,
  facetKinds,
  type SearchFilters,
  type SearchQuery,
  type SearchResult,
  type SearchRules,
  type SortKey,
} from "@product-search/text-index";
import { availabilityCode, availabilityOfCode, sourceCode } from "./to-index-document.ts";

/** Translates a search of the port for the text index, in the same way for every engine. */
export function toSearchQuery({
  text,
  filters,
  sort,
  order,
  offset,
  limit,
  everyWord,
  grouped,
  boostFactor,
  outOfStockLast = false,
  ...query
}: TextQuery): SearchQuery {
  return {
    text,
    filters: toSearchFilters(filters),
    everyWord,
    sort: toSortKey(sort),
    order,
    offset,
    limit,
    facets: toFacetRequest(query),
    relatedCount: query.relatedCount,
    grouped: grouped && { maxVariants: grouped.maxVariants },
    rules: query.rules && toSearchRules(query.rules),
    boostFactor,
    lastAvailability: lastAvailability(outOfStockLast),
  };
}

/** What comes after all else by relevance. */
export function lastAvailability(outOfStockLast: boolean): number | undefined {
  return outOfStockLast ? availabilityCode("out_of_stock") : undefined;
}

function toSortKey(sort: TextQuery["sort"]): SortKey {
  return isNumberSort(sort) ? `attribute ${sort.slice("attributes.".length)}` : sort;
}

/** Most filters are the same there. */
function toSearchFilters({
  source,
  availability,
  withWords,
  withoutWords,
  always,
  ...others
}: TextFilters): SearchFilters {
  return {
    ...others,
    source: source && sourceCode(source),
    availability: availability?.map(availabilityCode),
    withWords,
    withoutWords,
    always: always && toSearchFilters(always),
  };
}

function toSearchRules({ hide, pin, boosts }: TextRules): SearchRules {
  return {
    hide,
    pin,
    boosts: boosts.map(({ brands, categories, attributes, rowIds, factor }) => ({
      filters: { brands, categories, attributes },
      rowIds,
      factor,
    })),
  };
}

function toFacetRequest({
  facetLimit,
  facets = ["brands", "categories", "stores"],
  facetsIgnoreOwnFilter,
  pathLimit,
  attributeFacets,
  facetBeginning,
}: FacetQuery): FacetRequest | undefined {
  if (facetLimit === undefined) return undefined;
  return {
    of: facetKinds.filter((kind) => facets.includes(kind)),
    limit: facetLimit,
    ignoreOwnFilter: facetsIgnoreOwnFilter,
    paths: facets.includes("categoryPaths") ? (pathLimit ?? facetLimit) : 0,
    availability: facets.includes("availability"),
    onSale: facets.includes("onSale"),
    attributes: attributeFacets,
    beginning: facetBeginning,
  };
}

type FacetQuery = Pick<
  TextQuery,
  "facetLimit" | "facets" | "facetsIgnoreOwnFilter" | "pathLimit" | "attributeFacets" | "facetBeginning"
>;

function toTextFacets({ availability, onSale, ...facets }: Facets): TextFacets {
  return {
    ...facets,
    availability: availability.map(({ value, count }) => ({ value: availabilityOfCode(value), count })),
    onSale: onSale === 0 ? [] : [{ value: "true", count: onSale }],
  };
}

/** Translates the result of a search for the port. */
export function toTextHits(query: TextQuery, result: SearchResult): TextHits {
  const { rowIds, total, words, correctedText, thing, absentThing, facets, relatedRowIds } = result;
  const isDropped = (as: string) => as === "unknown" || as === "dropped";
  const dropped = query.everyWord === true ? [] : words.filter(({ as }) => isDropped(as));
  return {
    rowIds,
    total,
    sourceHas: sourceHas(result),
    ...(query.grouped !== undefined && { groups: result.groups }),
    droppedWords: dropped.map(({ word }) => word),
    ...(correctedText !== undefined && { correctedText }),
    ...(thing !== undefined && { thing }),
    ...(absentThing !== undefined && { absentThing }),
    ...(query.facetLimit !== undefined && { facets: toTextFacets(facets) }),
    ...(query.relatedCount !== undefined && { relatedRowIds }),
  };
}

function sourceHas({ finds, isThingNamed }: SearchResult): TextHits["sourceHas"] {
  if (finds !== "words") return finds === "nothing" ? "nothing" : "words";
  return isThingNamed ? "thing" : "words";
}
