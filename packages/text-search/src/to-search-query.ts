import type {
  FacetCount,
  TextFacets,
  TextHits,
  TextQuery,
  TextRules,
} from "@product-search/core/ports/text-search.ts";
import type {
  FacetRequest,
  Facets,
  FacetValue,
  SearchQuery,
  SearchResult,
  SearchRules,
} from "@product-search/text-index";
import { availabilityCode, sourceCode } from "./to-index-document.ts";

/** Translates a search of the port for the text index, in the same way for every engine. */
export function toSearchQuery({
  text,
  filters,
  sort,
  order,
  offset,
  limit,
  everyWord,
  ...query
}: TextQuery): SearchQuery {
  return {
    text,
    filters: {
      source: filters.source && sourceCode(filters.source),
      minPriceMinor: filters.minPriceMinor,
      maxPriceMinor: filters.maxPriceMinor,
      availability: filters.availability?.map(availabilityCode),
      brands: filters.brands,
      categories: filters.categories,
      stores: filters.stores,
      minRating: filters.minRating,
      minDiscount: filters.minDiscount,
      require: filters.withWords,
      exclude: filters.withoutWords,
      kinds: filters.kinds,
    },
    everyWord,
    sort,
    order,
    offset,
    limit,
    facets: toFacetRequest(query),
    related: query.relatedLimit,
    rules: query.rules && toSearchRules(query.rules),
  };
}

function toSearchRules({ hide, pin, boosts }: TextRules): SearchRules {
  return {
    hide,
    pin: pin.map(({ rowId, position }) => ({ id: rowId, position })),
    boosts: boosts.map(({ brands, categories, rowIds, factor }) => ({
      filters: { brands, categories },
      ids: rowIds,
      factor,
    })),
  };
}

function toFacetRequest({
  facetLimit,
  facets = ["brands", "categories", "stores"],
  facetsIgnoreOwnFilter,
}: Pick<TextQuery, "facetLimit" | "facets" | "facetsIgnoreOwnFilter">): FacetRequest | undefined {
  return facetLimit === undefined
    ? undefined
    : { of: facets, limit: facetLimit, ignoreOwnFilter: facetsIgnoreOwnFilter };
}

function toTextFacets({ brands, categories, stores, price, rating }: Facets): TextFacets {
  return {
    brands: toCounts(brands),
    categories: toCounts(categories),
    stores: toCounts(stores),
    price: price.map(({ from, to, documents }) => ({
      minPriceMinor: from,
      maxPriceMinor: to,
      count: documents,
    })),
    rating: rating.map(({ from, documents }) => ({ minRating: from, count: documents })),
  };
}

function toCounts(values: readonly FacetValue[]): FacetCount[] {
  return values.map(({ name, documents }) => ({ value: name, count: documents }));
}

/** Translates the result of a search for the port. */
export function toTextHits(query: TextQuery, found: SearchResult): TextHits {
  const { ids, total, totalWithEveryWord, words, correctedText, absentThing, facets, relatedIds } = found;
  // If some hits have all the words, no word was dropped, although further hits have fewer.
  const given = totalWithEveryWord > 0 ? ["unknown"] : ["unknown", "dropped"];
  const isUnknown = words.some(({ as }) => as === "unknown");
  const fullMatches = isUnknown && query.everyWord !== true ? 0 : totalWithEveryWord;
  const dropped = query.everyWord === true ? [] : words.filter(({ as }) => given.includes(as));
  return {
    rowIds: ids,
    total,
    ...(fullMatches < total && { fullMatches }),
    droppedWords: dropped.map(({ word }) => word),
    ...(correctedText !== undefined && { correctedText }),
    ...(absentThing !== undefined && { absentThing }),
    ...(query.facetLimit !== undefined && { facets: toTextFacets(facets) }),
    ...(query.relatedLimit !== undefined && { relatedRowIds: relatedIds }),
  };
}
