import { createClient, type Product } from "@product-search/client";
import { createInsightsClient, createSearchClient, type Hit } from "@product-search/instantsearch";
import { useEffect, useRef, useState } from "react";

/** What the page needs to know, in two lines of its HTML. The token is public: it can only search. */
const readMeta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

const baseUrl = `${location.origin}/api/v1`;
const token = readMeta("shop-token");

export const hasToken = token !== "";
export const client = createClient({ baseUrl, token });
export const searchClient = createSearchClient({ baseUrl, token, grouped: true });
export const insightsClient = createInsightsClient({ baseUrl, token });

const money = new Intl.NumberFormat(undefined, { style: "currency", currency: readMeta("currency") });
export const priceText = (price: number): string => money.format(price);

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

/** The pages of the shop, by their address under /shop. */
const home = "/shop";

export function hrefOf(path: string): string {
  return `${home}${path}`;
}

export function usePath(): string {
  const [path, setPath] = useState(() => location.pathname);
  useEffect(() => {
    const update = () => setPath(location.pathname);
    addEventListener("popstate", update);
    return () => removeEventListener("popstate", update);
  }, []);
  return path.slice(home.length).replace(/\/$/, "");
}

/** Goes to another page of the shop without loading it anew. */
export function goTo(href: string): void {
  history.pushState(undefined, "", href);
  dispatchEvent(new PopStateEvent("popstate"));
  scrollTo(0, 0);
}
