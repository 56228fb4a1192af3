import { AsyncLocalStorage } from "node:async_hooks";
import {
  type ProductSource,
  productSources,
  type StoredProduct,
} from "@product-search/core/domain/product.ts";
import { productFilter } from "@product-search/core/domain/product-filter.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogReads } from "@product-search/core/ports/catalog-store.ts";
import type { SimilarProduct, VectorSearch } from "@product-search/core/ports/images.ts";
import type { MarketplaceSource } from "@product-search/core/ports/marketplace-source.ts";
import type {
  PropertyFilters,
  SuggestionQuery,
  TextQuery,
  TextSearch,
} from "@product-search/core/ports/text-search.ts";
import { type CatalogFilters, catalogFilterNames, toTextFilters } from "./read-query.ts";

/** What the token of a request may see of the catalog. */
export type TokenFilter = PropertyFilters;

const current = new AsyncLocalStorage<TokenFilter>();

/**
 * Reads `brands=Ilmari&onSale=true`: the filters of a catalog search, as in a query. `readSearch` checks the parameters by the
 * spec.
 */
export function readTokenFilter(
  text: string,
  readSearch: (text: string) => CatalogFilters,
  currency: string,
): TokenFilter {
  const unknown = [...new URLSearchParams(text).keys()].find((name) => !catalogFilterNames.includes(name));
  if (unknown !== undefined)
    throw new ApiError(
      "invalid_request",
      `${unknown}: is not a filter. Use ${catalogFilterNames.join(", ")}.`,
    );
  const filters = toTextFilters(readSearch(text), currency);
  if (Object.keys(filters).length === 0)
    throw new ApiError(
      "invalid_request",
      `filter: is empty. Write filters such as brands=Ilmari&onSale=true.`,
    );
  return filters;
}

/** Everything that the work reads through filtered ports is what the filter keeps. */
export function withTokenFilter<Result>(filter: TokenFilter | undefined, work: () => Result): Result {
  return filter === undefined ? work() : current.run(filter, work);
}

/** Those of the events that are about products which the token may see. */
export async function visibleEvents<Event extends { productId: string }>(
  { catalogStore }: { catalogStore: Pick<CatalogReads, "findByIds"> },
  events: readonly Event[],
): Promise<readonly Event[]> {
  if (current.getStore() === undefined) return events;
  const products = await catalogStore.findByIds([...new Set(events.map(({ productId }) => productId))]);
  const visible = new Set(products.flatMap(({ id, key }) => [id, key]));
  return events.filter(({ productId }) => visible.has(productId));
}

type Units = Pick<TextSearch, "numberUnit">;

/** The filter for products of a source. */
async function passesIn(filter: PropertyFilters, { numberUnit }: Units, source: ProductSource) {
  const units = new Map<string, string | undefined>();
  for (const { name } of filter.ranges ?? []) units.set(name, await numberUnit(name, source));
  return productFilter(filter, (name) => units.get(name));
}

/** The items whose products, of any source, the filter keeps. */
export async function keepPassing<Item>(
  items: readonly Item[],
  productOf: (item: Item) => StoredProduct,
  filter: PropertyFilters,
  units: Units,
): Promise<Item[]> {
  const sources = new Set(items.map((item) => productOf(item).source));
  const passes = new Map(
    await Promise.all(
      Array.from(sources, async (source) => [source, await passesIn(filter, units, source)] as const),
    ),
  );
  return items.filter((item) => passes.get(productOf(item).source)?.(productOf(item)));
}

/** The catalog, of which a request sees what the filter of its token keeps. */
export function filterCatalog(store: CatalogReads, units: Units): CatalogReads {
  const keep = async <Item>(items: Item[], productOf: (item: Item) => StoredProduct): Promise<Item[]> => {
    const filter = current.getStore();
    if (filter === undefined) return items;
    return keepPassing(items, productOf, filter, units);
  };
  const kept = (products: StoredProduct[]) => keep(products, (product) => product);
  const one = async (product: StoredProduct | undefined) =>
    product === undefined ? undefined : (await kept([product]))[0];
  return {
    ...store,
    findByRowIds: async (...given) => kept(await store.findByRowIds(...given)),
    findWithHistory: async (...given) =>
      keep(await store.findWithHistory(...given), ({ product }) => product),
    findById: async (...given) => one(await store.findById(...given)),
    findByIds: async (...given) => kept(await store.findByIds(...given)),
    findBySlug: async (...given) => one(await store.findBySlug(...given)),
    findGroup: async (...given) => kept(await store.findGroup(...given)),
  };
}

/** Searches of the text index, in the same way. */
export function filterTextSearch(textSearch: TextSearch): TextSearch {
  const search: TextSearch["search"] = (query, signal) => {
    const filter = current.getStore();
    if (filter === undefined) return textSearch.search(query, signal);
    return textSearch.search({ ...query, filters: { ...query.filters, always: filter } }, signal);
  };
  const finds = async (query: Partial<TextQuery>, signal = never) => {
    const one = { text: "", sort: "relevance", offset: 0, limit: 1, everyWord: true } as const;
    const { filters = {} } = query;
    // Numbers without a unit have that of their source.
    for (const source of filters.source === undefined ? productSources : [filters.source])
      if ((await search({ ...one, ...query, filters: { ...filters, source } }, signal)).rowIds.length > 0)
        return true;
    return false;
  };
  const named =
    (filterBy: "brands" | "categories" | "stores", names: (text: string) => Promise<string[]>) =>
    async (text: string): Promise<string[]> => {
      const all = await names(text);
      if (current.getStore() === undefined) return all;
      return keepAsync(all, (name) => finds({ filters: { [filterBy]: [name] } }));
    };
  return {
    ...textSearch,
    search,
    async suggest(query, signal) {
      const suggestions = await textSearch.suggest(query, signal);
      if (current.getStore() === undefined) return suggestions;
      const filters = { source: query.source };
      const { queries, brands, categories } = suggestions;
      const kept = await keepAsync(queries, (text) => finds({ text, filters }, signal));
      return {
        queries: kept,
        brands: await keepAsync(brands, (name) => finds({ filters: { ...filters, brands: [name] } }, signal)),
        categories: await keepAsync(categories, (name) =>
          finds({ filters: { ...filters, categories: [name] } }, signal),
        ),
        rowIds: await productsOf(search, query, kept[0] ?? query.text, signal),
      };
    },
    async findBrands(text, limit) {
      if (current.getStore() === undefined) return textSearch.findBrands(text, limit);
      const names = await textSearch.findBrands(text, limit * furtherBrands);
      return (await keepAsync(names, (name) => finds({ filters: { brands: [name] } }))).slice(0, limit);
    },
    brandsNamedIn: named("brands", (text) => textSearch.brandsNamedIn(text)),
    categoriesNamedIn: named("categories", (text) => textSearch.categoriesNamedIn(text)),
    storesNamedIn: named("stores", (text) => textSearch.storesNamedIn(text)),
    attributesNamedIn: (text) => textSearch.attributesNamedIn(text),
    numberUnit: (attribute, source) => textSearch.numberUnit(attribute, source),
    hasUnit: (unit, source) => textSearch.hasUnit(unit, source),
    wordFrequency: (word) => textSearch.wordFrequency(word),
  };
}

const never = new AbortController().signal;
/** So many times the brands that are returned are looked at. */
const furtherBrands = 5;

async function productsOf(
  search: TextSearch["search"],
  { source, productLimit, outOfStockLast = false }: SuggestionQuery,
  text: string,
  signal: AbortSignal,
): Promise<number[]> {
  const query = {
    text,
    filters: { source },
    sort: "relevance",
    offset: 0,
    limit: productLimit,
    everyWord: true,
    outOfStockLast,
  } as const;
  return (await search(query, signal)).rowIds;
}

async function keepAsync<Item>(
  items: readonly Item[],
  keeps: (item: Item) => Promise<boolean>,
): Promise<Item[]> {
  const kept = await Promise.all(items.map(keeps));
  return items.filter((_, place) => kept[place]);
}

/** The most similar images are searched, so many times more in each step, until enough pass. */
const growth = 4;
const maxSimilar = 4096;

export function filterVectorSearch(
  vectorSearch: VectorSearch,
  catalogStore: Pick<CatalogReads, "findByRowIds">,
): VectorSearch {
  return {
    model: () => vectorSearch.model(),
    typicalSimilarity: () => vectorSearch.typicalSimilarity(),
    async search(query, signal) {
      if (current.getStore() === undefined) return vectorSearch.search(query, signal);
      for (let limit = query.limit * growth; ; limit *= growth) {
        const hits = await vectorSearch.search({ ...query, limit }, signal);
        const kept = await visibleHits(hits, catalogStore);
        if (kept.length >= query.limit || hits.length < limit || limit >= maxSimilar)
          return kept.slice(0, query.limit);
      }
    },
  };
}

/** `catalogStore` is filtered. */
async function visibleHits(
  hits: readonly SimilarProduct[],
  catalogStore: Pick<CatalogReads, "findByRowIds">,
): Promise<SimilarProduct[]> {
  const products = await catalogStore.findByRowIds(hits.map(({ rowId }) => rowId));
  const visible = new Set(products.map(({ rowId }) => rowId));
  return hits.filter(({ rowId }) => visible.has(rowId));
}

/**
 * A live marketplace counts by itself: what is left out of a page is taken off its number. Its numbers without a unit have that of
 * the catalog.
 */
export function filterMarketplace(source: MarketplaceSource, units: Units): MarketplaceSource {
  return {
    async search(query, signal) {
      const page = await source.search(query, signal);
      const filter = current.getStore();
      if (filter === undefined) return page;
      const items = page.items.filter(await passesIn(filter, units, "catalog"));
      return { ...page, items, total: page.total - (page.items.length - items.length) };
    },
  };
}
