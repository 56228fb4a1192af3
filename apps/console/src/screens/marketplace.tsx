import type { MarketplaceProduct } from "@product-search/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { MarketplaceCard } from "../parts/product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product/product-grid.tsx";
import { CategoryTiles } from "../parts/search/category-tiles.tsx";
import { SearchField } from "../parts/search/search-field.tsx";
import { Examples } from "../parts/search/welcome.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { formatCount } from "../service/format.ts";
import {
  isMarketplace,
  letterOf,
  type Marketplace,
  marketplaceName,
  marketplaces,
  searchOf,
} from "../service/marketplaces.ts";
import { useCategorySamples, useExampleQueries } from "../service/search/use-catalog.ts";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useQueryState } from "../service/use-request.ts";

const pageSize = 24;

/** Either marketplace, with its exact total and as many pages as one scrolls. */
export function MarketplaceScreen() {
  const [text, setText] = useQueryState("q");
  const [sourceText, setSource] = useQueryState("from");
  const source: Marketplace = isMarketplace(sourceText) ? sourceText : marketplaces[0];
  const { token } = useService();
  const [draft, setDraft] = useState(text);
  const categories = useCategorySamples(text === "");
  const examples = useExampleQueries(categories.topics);
  usePageTitle(text === "" ? "Marketplaces" : `${text} on ${marketplaceName(source)}`);
  const search = (query: string) => {
    setDraft(query);
    setText(query.trim());
  };
  return (
    <>
      <section className={text === "" ? "hero" : "hero compact"}>
        <h1 className={text === "" ? undefined : "visually-hidden"}>Marketplaces</h1>
        <SearchField
          label={`Search ${marketplaceName(source)}`}
          value={draft}
          onChange={setDraft}
          placeholder={examples[0] ?? "Search products"}
          onSubmit={() => search(draft)}
          submitLabel="Search"
        />
        <fieldset className="segmented">
          <legend className="visually-hidden">Marketplace</legend>
          {marketplaces.map((one) => (
            <label key={one}>
              <input type="radio" name="source" checked={source === one} onChange={() => setSource(one)} />
              <span>{marketplaceName(one)}</span>
            </label>
          ))}
        </fieldset>
      </section>
      {!token && <TokenNotice what="marketplace search" />}
      {token && text === "" && (
        <>
          <Examples texts={examples} onChoose={search} />
          <CategoryTiles
            categories={categories}
            title={`Look for these on ${marketplaceName(source)}`}
            isLarge
            onChoose={({ category }) => search(category.toLowerCase())}
          />
        </>
      )}
      {token && text !== "" && <Results key={`${source} ${text} ${token}`} source={source} text={text} />}
    </>
  );
}

function Results({ source, text }: { source: Marketplace; text: string }) {
  const { products, total, hasMore, busy, error, next } = useMarketplacePages(source, text);
  return (
    <section aria-labelledby="results" className="results">
      <h2 id="results" className="visually-hidden">
        Results
      </h2>
      {/* More products come below for as long as one scrolls: the request stands above them. */}
      <div className="results-line row spread">
        <p role="status">
          {total === undefined
            ? error === undefined
              ? `Searching ${marketplaceName(source)}…`
              : `No response from ${marketplaceName(source)}`
            : `${formatCount(total)} ${total === 1 ? "product" : "products"} on ${marketplaceName(source)}`}
        </p>
        <DeveloperPanel
          requests={requestsFor(source, text, Math.max(1, Math.ceil(products.length / pageSize)))}
        />
      </div>
      {total === 0 && (
        <EmptyNotice title={`Nothing found for “${text}”`}>
          <p>Use fewer or different words, or search the other marketplace.</p>
        </EmptyNotice>
      )}
      {products.length > 0 && (
        <ProductGrid>
          {products.map((product) => (
            <MarketplaceCard key={product._id} product={product} />
          ))}
        </ProductGrid>
      )}
      {busy && <ProductGridSkeleton />}
      {error !== undefined && <ErrorNotice error={error} onRetry={next} />}
      {hasMore && !busy && error === undefined && <MoreTrigger onSeen={next} />}
      {!hasMore && products.length > 0 && <p className="muted center">End of the results.</p>}
    </section>
  );
}

function requestsFor(source: Marketplace, q: string, page: number): [RequestSnippet, ...RequestSnippet[]] {
  const letter = letterOf(source);
  const query = { q, count: pageSize };
  const request = { method: "GET", path: `/search/${source}`, needsToken: true } as const;
  return [
    {
      ...request,
      title: "This page",
      query: { ...query, page },
      call: `searchMarketplace${letter}(${JSON.stringify({ ...query, page })})`,
    },
    {
      ...request,
      title: "All pages",
      query,
      call: `for await (const { Products } of client.marketplace${letter}Pages(${JSON.stringify(query)})) console.log(Products.length);`,
    },
  ];
}

/** Asks for the next page when it comes near, and can be pressed as well. */
function MoreTrigger({ onSeen }: { onSeen: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && onSeen(),
      {
        rootMargin: "400px",
      },
    );
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, [onSeen]);
  return (
    <button type="button" ref={button} className="center" onClick={onSeen}>
      Show more
    </button>
  );
}

interface Pages {
  products: MarketplaceProduct[];
  total: number | undefined;
  hasMore: boolean;
  page: number;
}

/** The pages of a marketplace search that were asked for so far; `next` asks for one more. */
function useMarketplacePages(source: Marketplace, text: string) {
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
      const response = await client[searchOf(client, source)](query, options);
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
