import type { MarketplaceProduct } from "@product-search/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useService } from "./service-context.tsx";

export const pageSize = 24;
export const sources = { "marketplace-a": "Marketplace A", "marketplace-b": "Marketplace B" } as const;
export type Source = keyof typeof sources;

interface Pages {
  products: MarketplaceProduct[];
  total: number | undefined;
  hasMore: boolean;
  page: number;
}

/** The pages of a marketplace search that were asked for so far; `next` asks for one more. */
export function useMarketplacePages(source: Source, text: string) {
  const { client } = useService();
  const [pages, setPages] = useState<Pages>({ products: [], total: undefined, hasMore: true, page: 0 });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController | undefined>(undefined);

  const next = useCallback(async () => {
    if (running.current) return;
    const abort = new AbortController();
    running.current = abort;
    setBusy(true);
    setError(undefined);
    const query = { q: text, count: pageSize, page: pages.page + 1 };
    const options = { signal: abort.signal };
    try {
      const response = await (source === "marketplace-a"
        ? client.searchMarketplaceA(query, options)
        : client.searchMarketplaceB(query, options));
      setPages((previous) => ({
        products: [...previous.products, ...response.Products],
        total: response.count,
        hasMore: response.hasMore,
        page: response.page,
      }));
    } catch (failure) {
      if (!abort.signal.aborted) setError(failure);
    } finally {
      if (running.current === abort) {
        running.current = undefined;
        setBusy(false);
      }
    }
  }, [client, pages.page, source, text]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the first page is asked for once, and anew with another token.
  useEffect(() => {
    if (pages.page === 0) void next();
    return () => {
      running.current?.abort();
      running.current = undefined;
    };
  }, [client]);

  return { ...pages, busy, error, next };
}
