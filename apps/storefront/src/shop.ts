import { createClient, type Product } from "@product-search/client";
import {
  createInsightsClient,
  createSearchClient,
  type Hit,
  type SearchClient,
} from "@product-search/instantsearch";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";

export interface ShopSettings {
  /** Of the service, with its version, such as `https://search.example.com/api/v1`. */
  baseUrl: string;
  /** It is public: it can only search. Without one, the page says what to do. */
  token: string;
  currency: string;
}

interface Shop {
  hasToken: boolean;
  client: ReturnType<typeof createClient>;
  searchClient: SearchClient;
  insightsClient: ReturnType<typeof createInsightsClient>;
  money: Intl.NumberFormat;
}

/** The language of the page. Server and browser have to write the same text. */
const language = "en";

export let shop: Shop;

/** Before the first page, in the browser and on the server. */
export function openShop({ baseUrl, token, currency }: ShopSettings): void {
  shop = {
    hasToken: token !== "",
    client: createClient({ baseUrl, token }),
    searchClient: createShopSearch({ baseUrl, token }),
    insightsClient: createInsightsClient({ baseUrl, token }),
    money: new Intl.NumberFormat(language, { style: "currency", currency }),
  };
}

export function createShopSearch(service: {
  baseUrl: string;
  token: string;
  fetch?: typeof fetch;
}): SearchClient {
  return createSearchClient({ ...service, grouped: true });
}

export const priceText = (price: number): string => shop.money.format(price);
export const countText = (count: number): string => count.toLocaleString(language);

export type ShopProduct = Product | Hit;

/** A request that begins with its key and ends with it. */
export function useRequest<Result>(
  key: string | undefined,
  request: (signal: AbortSignal) => Promise<Result>,
): { result?: Result; error?: Error } {
  const [state, setState] = useState<{ key?: string; result?: Result; error?: Error }>({});
  const newest = useRef(request);
  newest.current = request;
  useEffect(() => {
    if (key === undefined) return;
    const leaving = new AbortController();
    newest.current(leaving.signal).then(
      (result) => setState({ key, result }),
      (error: Error) => leaving.signal.aborted || setState({ key, error }),
    );
    return () => leaving.abort();
  }, [key]);
  return state.key === key ? state : {};
}

/** In the tab of the browser. The server writes a title of its own. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** The pages of the shop, by their address under /shop. */
const home = "/shop";

export const pathIn = (pathname: string): string => pathname.slice(home.length).replace(/\/$/, "");

export function hrefOf(path: string): string {
  return `${home}${path}`;
}

function followAddress(update: () => void): () => void {
  addEventListener("popstate", update);
  return () => removeEventListener("popstate", update);
}

/** `url` is for the server, which has no address bar. */
export function usePath(url?: URL): string {
  const pathname = useSyncExternalStore(
    followAddress,
    () => location.pathname,
    () => (url ?? location).pathname,
  );
  return pathIn(pathname);
}

/** Goes to another page of the shop without loading it anew. */
export function goTo(href: string): void {
  history.pushState(undefined, "", href);
  dispatchEvent(new PopStateEvent("popstate"));
  scrollTo(0, 0);
}
