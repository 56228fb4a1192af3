import type { TextFacets, TextFilters, TextHits, TextQuery } from "@product-search/core/ports/text-search.ts";
import type { Facets, SearchFilters, SearchQuery, SearchResult } from "@product-search/text-index";
import { availabilityCode, availabilityOfCode, sourceCode } from "./to-index-document.ts";

/** Translates a search of the port for the text index, in the same way for every engine. */
export function toSearchQuery({
  filters,
  outOfStockLast = false,
  byMeaning: _,
  ...query
}: TextQuery): SearchQuery {
  return {
    ...query,
    filters: toSearchFilters(filters),
    lastAvailability: lastAvailability(outOfStockLast),
  };
}

/** What comes after all else by relevance. */
export function lastAvailability(outOfStockLast: boolean): number | undefined {
  return outOfStockLast ? availabilityCode("out_of_stock") : undefined;
}

function toSearchFilters({ source, availability, always, ...others }: TextFilters): SearchFilters {
  return {
    ...others,
    source: source && sourceCode(source),
    availability: availability?.map(availabilityCode),
    always: always && toSearchFilters(always),
  };
}

function toTextFacets({ availability, ...facets }: Facets): TextFacets {
  return {
    ...facets,
    availability: availability.map(({ value, count }) => ({ value: availabilityOfCode(value), count })),
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
    ...(query.facets !== undefined && { facets: toTextFacets(facets) }),
    ...(query.relatedCount !== undefined && { relatedRowIds }),
  };
}

function sourceHas({ finds, isThingNamed }: SearchResult): TextHits["sourceHas"] {
  if (finds !== "words") return finds === "nothing" ? "nothing" : "words";
  return isThingNamed ? "thing" : "words";
}
