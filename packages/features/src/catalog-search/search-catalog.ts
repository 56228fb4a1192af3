import { unescaped } from "@product-search/core/domain/name-list.ts";
import { allowsNextPage, offsetOfPage } from "@product-search/core/domain/page-window.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { OrderInText } from "@product-search/core/domain/query-understanding/phrases.ts";
import type {
  FiltersInText,
  ReadSearch,
} from "@product-search/core/domain/query-understanding/read-filters.ts";
import { ApiError } from "@product-search/core/errors.ts";
import {
  isNumberSort,
  namedSorts,
  type SortKey,
  type TextFilters,
  type TextHits,
  type TextSearch,
} from "@product-search/core/ports/text-search.ts";
import type { CatalogSearchResponse, CatalogSort } from "@product-search/types";
import { type ApplyRulesDeps, applyRules } from "./apply-rules.ts";
import { type CatalogQuery, catalogFilterNames, toTextFilters } from "./catalog-filters.ts";
import { type ReadHitsDeps, readHits, readProducts } from "./read-hits.ts";
import { readFacets, readQuery, toCatalogFacets } from "./read-query.ts";

export interface SearchCatalogDeps extends Omit<ReadHitsDeps, "catalogStore">, ApplyRulesDeps {
  catalogStore: ReadHitsDeps["catalogStore"] & ApplyRulesDeps["catalogStore"];
  textSearch: Pick<TextSearch, "search" | "numberUnit" | "hasUnit">;
  /** Of products that are marked as boosted. Default: 1. */
  boostFactor?: number | undefined;
  /** Default: it is mixed with the others. */
  outOfStockLast?: boolean | undefined;
}

const usualRelated = 20;
/** Of each hit. */
const maxVariants = 50;

/** One page of the catalog's products that match a text, filters, or both, with counts over all matches. */
export async function searchCatalog(
  deps: SearchCatalogDeps,
  {
    q = "",
    literal = false,
    count = 20,
    page = 1,
    sort: sortParameter,
    order: wantedOrder,
    facets,
    maxFacetValues,
    facetQuery,
    grouped = false,
    include: included = [],
    relatedCount = usualRelated,
    ...parameters
  }: CatalogQuery,
  signal: AbortSignal,
): Promise<CatalogSearchResponse> {
  const asked = toTextFilters(parameters, deps.currency);
  refuseNothing(q, asked);
  const wantedSort = sortParameter === undefined ? undefined : await readSort(deps.textSearch, sortParameter);
  const ruling = { text: q, categories: asked.categories ?? [] };
  const first = await applyRules(deps, { ...ruling, sort: wantedSort ?? "relevance" });
  const { text } = first;
  const read: ReadSearch = literal ? { words: text, filters: {} } : await readQuery(deps, text, signal);
  const sorting = wantedSort === undefined ? read.sorting : undefined;
  const sort = wantedSort ?? sorting?.sort ?? "relevance";
  const order = sorting?.order ?? wantedOrder;
  const ruled = sorting === undefined ? first : await applyRules(deps, { ...ruling, sort });
  const fromText = outrank(read.filters, asked);
  const filters = { ...fromText, ...asked };
  const offset = offsetOfPage(page, count);
  const facetRequest = readFacets({
    ...(facets !== undefined && { facets }),
    ...(maxFacetValues !== undefined && { maxFacetValues }),
    ...(facetQuery !== undefined && { facetQuery }),
  });
  const hits = await deps.textSearch.search(
    {
      text: read.words,
      filters: { ...filters, source: "catalog" },
      sort,
      ...(order && { order }),
      offset,
      limit: count,
      ...(facetRequest && { facets: facetRequest }),
      ...(grouped && { grouped: { maxVariants: included.includes("variants") ? maxVariants : 0 } }),
      ...(page === 1 && { relatedCount }),
      ...(ruled.rules && { rules: ruled.rules }),
      ...(deps.boostFactor !== undefined && { boostFactor: deps.boostFactor }),
      outOfStockLast: deps.outOfStockLast === true,
      byMeaning: !literal,
    },
    signal,
  );
  const related = await readProducts(deps, hits.relatedRowIds ?? []);
  return {
    status: "success",
    Products: await readHits(deps, hits, { query: read.words, included }),
    count: hits.total,
    hasMore: hits.total > offset + count && allowsNextPage(page, count),
    page,
    limit: count,
    ...(hits.facets && facetRequest && { facets: toCatalogFacets(hits.facets, facetRequest, deps.currency) }),
    ...understanding(hits),
    ...understood(fromText, sorting, hits, deps.currency),
    ...ruled.shown,
    ...(related.length > 0 && { related }),
  };
}

/** The spec allows no others. */
async function readSort(textSearch: Pick<TextSearch, "numberUnit">, sort: CatalogSort): Promise<SortKey> {
  if (!isNumberSort(sort)) return sort;
  const attribute = unescaped(sort.slice(sort.indexOf(".") + 1)).trim();
  if ((await textSearch.numberUnit(attribute, "catalog")) !== undefined) return `attributes.${attribute}`;
  throw new ApiError(
    "invalid_request",
    `sort: the values of the attribute ${attribute.slice(0, 60)} are not numbers. Sort by ${(namedSorts satisfies readonly CatalogSort[]).join(", ")}, or attributes.NAME of an attribute of numbers.`,
  );
}

function refuseNothing(q: string, filters: TextFilters): void {
  if (q !== "" || Object.keys(filters).length > 0) return;
  throw new ApiError(
    "invalid_request",
    `q: is missing, and so is every filter. Send q, or one of ${catalogFilterNames.join(", ")}.`,
  );
}

/** The corrected query and the ignored words; empty if the query was used unchanged. A text that finds nothing ignores nothing. */
function understanding({
  correctedText,
  droppedWords,
  sourceHas,
}: TextHits): Pick<CatalogSearchResponse, "correctedQuery" | "ignoredWords"> {
  return {
    ...(correctedText !== undefined && { correctedQuery: correctedText }),
    ...(droppedWords.length > 0 && sourceHas !== "nothing" && { ignoredWords: droppedWords }),
  };
}

/** The filters in the text, except those for which there is a parameter: parameters take precedence. */
function outrank(
  { minPriceMinor, maxPriceMinor, ...others }: FiltersInText,
  parameters: TextFilters,
): FiltersInText {
  const hasPriceRange = parameters.minPriceMinor !== undefined;
  const { minRating, ...rest } = others;
  return {
    ...rest,
    ...(minRating !== undefined && parameters.minRating === undefined && { minRating }),
    ...(minPriceMinor !== undefined && !hasPriceRange && { minPriceMinor }),
    ...(maxPriceMinor !== undefined && !hasPriceRange && { maxPriceMinor }),
  };
}

/** The same in the form of the response; nothing if there are none. */
function understood(
  { minPriceMinor, maxPriceMinor, minRating, measures, withoutWords }: FiltersInText,
  sorting: OrderInText | undefined,
  { kinds, stores }: Pick<TextHits, "kinds" | "stores">,
  currency: string,
): Pick<CatalogSearchResponse, "understood"> {
  const hasPrice = (minPriceMinor ?? maxPriceMinor) !== undefined;
  const priceRange = {
    ...(minPriceMinor !== undefined && { minPrice: fromMinor(minPriceMinor, currency) }),
    ...(maxPriceMinor !== undefined && { maxPrice: fromMinor(maxPriceMinor, currency) }),
  };
  const filters = {
    ...(hasPrice && { priceRange }),
    ...(minRating !== undefined && { minRating }),
    ...(measures !== undefined && { ranges: [...measures] }),
    ...(withoutWords !== undefined && { without: [...withoutWords] }),
    ...sorting,
    ...(stores !== undefined && { stores: [...stores] }),
    ...(kinds !== undefined && { kinds: [...kinds] }),
  };
  return Object.keys(filters).length === 0 ? {} : { understood: filters };
}
