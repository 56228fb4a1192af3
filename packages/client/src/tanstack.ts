import type { DeepSearchEvent, DeepSearchRequest, DeepSearchResult, TopProduct } from "@product-search/types";
import { type DataTag, experimental_streamedQuery as streamedQuery } from "@tanstack/query-core";
import type { CatalogQuery } from "./catalog-query.ts";
import type { Client, SimilarQuery, SuggestQuery } from "./client.ts";

/** One page of the catalog, for `useQuery`, `prefetchQuery` and the like. */
export function searchCatalogOptions(client: Pick<Client, "searchCatalog">, query: CatalogQuery) {
  return optionsOf(["searchCatalog", query], (signal) => client.searchCatalog(query, { signal }));
}

/** All pages of a catalog search, for `useInfiniteQuery` and `prefetchInfiniteQuery`. */
export function searchCatalogInfiniteOptions(client: Pick<Client, "searchCatalog">, query: CatalogQuery) {
  return {
    queryKey: [scope, "searchCatalogPages", query] as const,
    queryFn: ({ pageParam, signal }: { pageParam: number; signal: AbortSignal }) =>
      client.searchCatalog({ ...query, page: pageParam }, { signal }),
    initialPageParam: query.page ?? 1,
    getNextPageParam: (last: { hasMore: boolean }, _pages: unknown, page: number) =>
      last.hasMore ? page + 1 : undefined,
    retry: false,
  };
}

/** Completed queries, brands, categories and products while somebody types. */
export function suggestOptions(client: Pick<Client, "suggest">, query: SuggestQuery) {
  return optionsOf(["suggest", query], (signal) => client.suggest(query, { signal }));
}

/** A product of any source. */
export function getProductOptions(client: Pick<Client, "getProduct">, productId: string) {
  return optionsOf(["getProduct", productId], (signal) => client.getProduct(productId, { signal }));
}

/** Products with similar images. */
export function similarProductsOptions(
  client: Pick<Client, "similarProducts">,
  productId: string,
  query: SimilarQuery = {},
) {
  return optionsOf(["similarProducts", productId, query], (signal) =>
    client.similarProducts(productId, query, { signal }),
  );
}

/** What has arrived of an answer. */
export interface DeepSearchProgress {
  /** The text so far. */
  text: string;
  /** The products of the answer. */
  products: TopProduct[];
  /** The whole result, when the answer is complete. */
  result?: DeepSearchResult;
}

/** A written answer, which grows while it is written: `data.text`, then `data.result`. */
export function deepSearchStreamOptions(
  client: Pick<Client, "deepSearchStream">,
  request: DeepSearchRequest,
) {
  const start: DeepSearchProgress = { text: "", products: [] };
  const queryKey = keyOf<DeepSearchProgress>(["deepSearchStream", request]);
  return {
    queryKey,
    queryFn: streamedQuery<DeepSearchEvent, DeepSearchProgress, typeof queryKey>({
      streamFn: ({ signal }) => client.deepSearchStream(request, { signal }),
      reducer: addEvent,
      initialValue: start,
    }),
    retry: false,
  };
}

function addEvent(progress: DeepSearchProgress, event: DeepSearchEvent): DeepSearchProgress {
  switch (event.type) {
    case "products":
      return { ...progress, products: event.topProducts };
    case "delta":
      return { ...progress, text: progress.text + event.text };
    case "restart":
      return { ...progress, text: "" };
    case "done":
      return { text: event.data.aiResponse, products: event.data.topProducts, result: event.data };
    default:
      // `deepSearchStream` throws errors.
      return progress;
  }
}

/** Begins every key, so that `invalidateQueries({ queryKey: [scope] })` means all queries of the client. */
export const scope = "product-search";

/** The client repeats failed requests itself, so TanStack Query does not. */
function optionsOf<Data>(key: readonly unknown[], run: (signal: AbortSignal) => Promise<Data>) {
  return {
    queryKey: keyOf<Data>(key),
    queryFn: ({ signal }: { signal: AbortSignal }) => run(signal),
    retry: false,
  };
}

type Key<Data> = DataTag<readonly unknown[], Data, Error>;

/** The type of the data is only a mark in the type of the key: `getQueryData(queryKey)` reads it. */
function keyOf<Data>(key: readonly unknown[]): Key<Data> {
  return [scope, ...key] as readonly unknown[] as Key<Data>;
}
