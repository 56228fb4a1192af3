import { AsyncLocalStorage } from "node:async_hooks";
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
import { type CatalogFilters, catalogFilterNames, toTextFilters } from "./catalog-filters.ts";

/** What the token of a request may see of the catalog. */
export interface TokenFilter {
  readonly filters: PropertyFilters;
  passes: ReturnType<typeof productFilter>;
}

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
  const { ranges, ...filters } = toTextFilters(readSearch(text), currency);
  if (ranges !== undefined)
    throw new ApiError("invalid_request", "ranges: cannot be the filter of a token. Use the other filters.");
  if (Object.keys(filters).length === 0)
    throw new ApiError(
      "invalid_request",
      `filter: is empty. Write filters such as brands=Ilmari&onSale=true.`,
    );
  return { filters, passes: productFilter(filters) };
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

/** The catalog, of which a request sees what the filter of its token keeps. */
export function filterCatalog(store: CatalogReads): CatalogReads {
  const kept = <Product extends Parameters<TokenFilter["passes"]>[0]>(products: Product[]): Product[] => {
    const filter = current.getStore();
    return filter === undefined ? products : products.filter(filter.passes);
  };
  const one = <Product extends Parameters<TokenFilter["passes"]>[0]>(product: Product | undefined) =>
    product === undefined ? undefined : kept([product])[0];
  return {
    ...store,
    findByRowIds: async (...given) => kept(await store.findByRowIds(...given)),
    findWithHistory: async (...given) => {
      const found = await store.findWithHistory(...given);
      const filter = current.getStore();
      return filter === undefined ? found : found.filter(({ product }) => filter.passes(product));
    },
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
    return textSearch.search({ ...query, filters: { ...query.filters, always: filter.filters } }, signal);
  };
  const finds = async (query: Partial<TextQuery>, signal = never) => {
    const one = { text: "", filters: {}, sort: "relevance", offset: 0, limit: 1, everyWord: true } as const;
    return (await search({ ...one, ...query }, signal)).rowIds.length > 0;
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
    isNumeric: (attribute, source) => textSearch.isNumeric(attribute, source),
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

/** A live marketplace counts by itself: what is left out of a page is taken off its number. */
export function filterMarketplace(source: MarketplaceSource): MarketplaceSource {
  return {
    async search(query, signal) {
      const page = await source.search(query, signal);
      const filter = current.getStore();
      if (filter === undefined) return page;
      const items = page.items.filter(filter.passes);
      return { ...page, items, total: page.total - (page.items.length - items.length) };
    },
  };
}
