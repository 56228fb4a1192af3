import { createHighlight, type Highlight } from "@product-search/core/domain/highlight.ts";
import {
  type Presentation,
  priceHistoryLimit,
  toKeptProduct,
  toProduct,
  toVariant,
} from "@product-search/core/domain/mapping/to-product.ts";
import { escapeName, unescaped } from "@product-search/core/domain/name-list.ts";
import { allowsNextPage, maxReach, offsetOfPage } from "@product-search/core/domain/page-window.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { ProductWithHistory, StoredProduct } from "@product-search/core/domain/product.ts";
import type { OrderInText } from "@product-search/core/domain/query-understanding/phrases.ts";
import type {
  FiltersInText,
  ReadSearch,
} from "@product-search/core/domain/query-understanding/read-filters.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { giveWay, inTurn } from "@product-search/core/mechanisms/fair-queue.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import {
  type GroupOfHits,
  isNumberSort,
  namedSorts,
  type SortKey,
  type TextFilters,
  type TextHits,
  type TextSearch,
} from "@product-search/core/ports/text-search.ts";
import type { CatalogBatchResult, CatalogSearchResponse, CatalogSort, Product } from "@product-search/types";
import type { RequestContext } from "../handler.ts";
import { type ApplyRulesDeps, applyRules } from "./apply-rules.ts";
import {
  type CatalogQuery,
  catalogFilterNames,
  readFacets,
  readQuery,
  toCatalogFacets,
  toTextFilters,
} from "./read-query.ts";

interface SearchCatalogDeps extends Omit<ReadHitsDeps, "catalogStore">, ApplyRulesDeps {
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

export interface SearchedRows {
  /** The rows that the search of a request finds, pins or shows as related, as far as pages reach. */
  of(request: string, signal: AbortSignal): Promise<ReadonlySet<number>>;
}

/** Several clicks follow one search. */
const maxKept = 100;

/** A request is the JSON of a `CatalogQuery` without a page. */
export function createSearchedRows(deps: SearchCatalogDeps): SearchedRows {
  const kept = new Map<string, ReadonlySet<number>>();
  return {
    async of(request, signal) {
      const known = kept.get(request);
      if (known !== undefined) return known;
      const rows = await rowsOf(deps, JSON.parse(request), signal);
      for (const oldest of kept.keys()) if (kept.size >= maxKept) kept.delete(oldest);
      kept.set(request, rows);
      return rows;
    },
  };
}

/** The search itself, but with all rows and without their products. */
async function rowsOf(
  deps: SearchCatalogDeps,
  { facets: _, facetQuery: __, maxFacetValues: ___, grouped: ____, include: _____, ...query }: CatalogQuery,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const rows = new Set<number>();
  const textSearch: SearchCatalogDeps["textSearch"] = {
    numberUnit: (attribute, source) => deps.textSearch.numberUnit(attribute, source),
    hasUnit: (unit, source) => deps.textSearch.hasUnit(unit, source),
    async search(asked, searchSignal) {
      // The order words of a text are looked up in names.
      if (asked.everyWord === true) return deps.textSearch.search(asked, searchSignal);
      const hits = await deps.textSearch.search({ ...asked, offset: 0, limit: maxReach }, searchSignal);
      for (const rowId of [...hits.rowIds, ...(hits.relatedRowIds ?? [])]) rows.add(rowId);
      return { ...hits, rowIds: [], relatedRowIds: [] };
    },
  };
  await searchCatalog({ ...deps, textSearch }, query, signal);
  return rows;
}

type Search = ReturnType<RequestContext["readSearch"]>;

export interface SearchBatchDeps extends Pick<RequestContext, "countSearches" | "readSearch"> {
  search(search: Search): Promise<CatalogSearchResponse>;
}

/** Does the searches one after the other. One with a fault has an error as its result. */
export async function searchBatch(
  { countSearches, readSearch, search }: SearchBatchDeps,
  searches: readonly unknown[],
): Promise<CatalogBatchResult[]> {
  if (searches.length > 1) await countSearches(searches.length - 1);
  const results: CatalogBatchResult[] = [];
  for (const one of searches) {
    await giveWay();
    try {
      results.push(await search(escapeLists(readSearch(one))));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const { message, code } = error;
      results.push({ status: "error", message, code });
    }
  }
  return results;
}

const lists = [
  "brands",
  "categories",
  "stores",
  "notBrands",
  "notCategories",
  "notStores",
  "facets",
] as const;

/** As in a query, where a backslash escapes. */
function escapeLists(search: Search): Search {
  const escaped = { ...search };
  for (const name of lists) {
    const list = search[name];
    if (list !== undefined) escaped[name] = list.map(escapeName);
  }
  for (const name of ["attributes", "notAttributes"] as const) {
    const list = search[name];
    if (list !== undefined) escaped[name] = list.map(escapeValue);
  }
  return escaped;
}

/** The value begins after the first colon that has no backslash before it. */
function escapeValue(pair: string): string {
  const [name = pair] = /^(\\.|[^\\:])*/.exec(pair) ?? [];
  return name + escapeName(pair.slice(name.length));
}

export interface ReadProductsDeps extends Presentation {
  catalogStore: Pick<CatalogStore, "findWithHistory">;
}

/** The products of the catalog in the form of responses, in the order of `rowIds`. */
export async function readProducts(deps: ReadProductsDeps, rowIds: readonly number[]): Promise<Product[]> {
  const found = await deps.catalogStore.findWithHistory(rowIds, priceHistoryLimit);
  return found.map((product) => toKeptProduct(product, deps));
}

interface ReadHitsDeps extends ReadProductsDeps {
  catalogStore: Pick<CatalogStore, "findWithHistory" | "findByRowIds">;
}

export interface RequestedFields {
  /** The words that are marked. */
  query: string;
  /** Of `include`. */
  included: readonly string[];
}

/** The hits of a search with what was asked about them, in their order. */
async function readHits(
  deps: ReadHitsDeps,
  { rowIds, groups, correctedText }: Pick<TextHits, "rowIds" | "groups" | "correctedText">,
  { query, included }: RequestedFields,
): Promise<Product[]> {
  const memberIds = [...new Set((groups ?? []).flatMap((group) => group.rowIds))];
  const [found, members] = await Promise.all([
    deps.catalogStore.findWithHistory(rowIds, priceHistoryLimit),
    memberIds.length === 0 ? [] : deps.catalogStore.findByRowIds(memberIds),
  ]);
  const groupOf = new Map(rowIds.map((rowId, i) => [rowId, groups?.[i]]));
  const memberOf = new Map(members.map((member) => [member.rowId, member]));
  const mark = included.includes("highlights") ? createHighlight(correctedText ?? query) : undefined;
  const further = { description: included.includes("description"), custom: included.includes("custom") };
  const hasFurther = further.description || further.custom;
  const toShown = (hit: ProductWithHistory): Product => {
    const { product, history } = hit;
    const group = groupOf.get(product.rowId);
    const shown = hasFurther ? toProduct(product, history, deps, further) : toKeptProduct(hit, deps);
    if (mark === undefined && group === undefined) return shown;
    return {
      ...shown,
      ...(mark && { highlights: highlightsOf(product, mark) }),
      ...(group !== undefined && groupFields(group, deps)),
      ...(group !== undefined &&
        included.includes("variants") && {
          variants: group.rowIds
            .flatMap((rowId) => memberOf.get(rowId) ?? [])
            .map((member) => toVariant(member, deps)),
        }),
    };
  };
  const products: Product[] = [];
  // Descriptions may be long.
  for (const hit of found) products.push(await inTurn(toShown(hit)));
  return products;
}

function groupFields(
  { count, minPriceMinor, maxPriceMinor }: GroupOfHits,
  { currency }: ReadHitsDeps,
): Pick<Product, "variantCount" | "variantPrices"> {
  return {
    variantCount: count,
    variantPrices: { min: fromMinor(minPriceMinor, currency), max: fromMinor(maxPriceMinor, currency) },
  };
}

function highlightsOf(
  { name, description }: StoredProduct,
  mark: Highlight,
): NonNullable<Product["highlights"]> {
  const markedName = mark(name);
  const markedDescription = mark(description);
  return {
    ...(markedName !== undefined && { name: markedName }),
    ...(markedDescription !== undefined && { description: markedDescription }),
  };
}
