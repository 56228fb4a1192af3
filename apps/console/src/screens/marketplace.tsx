import type { MarketplaceProduct } from "@product-search/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { MarketplaceCard } from "../parts/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product-grid.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { formatCount } from "../service/money.ts";
import { useService } from "../service/service-context.tsx";
import { useQueryState } from "../service/use-query-state.ts";

const pageSize = 24;
const sources = { "marketplace-a": "Marketplace A", "marketplace-b": "Marketplace B" } as const;
type Source = keyof typeof sources;

/** Either marketplace, with its exact total and as many pages as one scrolls. */
export function MarketplaceScreen() {
  const [text, setText] = useQueryState("q");
  const [sourceText, setSource] = useQueryState("from");
  const source: Source = sourceText === "marketplace-b" ? "marketplace-b" : "marketplace-a";
  const [draft, setDraft] = useState(text);
  return (
    <>
      <section className="hero">
        <h1>Marketplaces</h1>
        <SearchField
          label={`Search ${sources[source]}`}
          value={draft}
          onChange={setDraft}
          placeholder="espresso mug"
          onSubmit={() => setText(draft.trim())}
          submitLabel="Search"
        />
        <fieldset className="segmented">
          <legend className="visually-hidden">Marketplace</legend>
          {(Object.keys(sources) as Source[]).map((one) => (
            <label key={one}>
              <input type="radio" name="source" checked={source === one} onChange={() => setSource(one)} />
              <span>{sources[one]}</span>
            </label>
          ))}
        </fieldset>
      </section>
      {text ? (
        <Results key={`${source} ${text}`} source={source} text={text} />
      ) : (
        <p className="muted">Type something and press Enter.</p>
      )}
    </>
  );
}

function Results({ source, text }: { source: Source; text: string }) {
  const { products, total, hasMore, busy, error, next } = usePages(source, text);
  return (
    <section aria-labelledby="results" className="results">
      <h2 id="results" className="visually-hidden">
        Results
      </h2>
      {total !== undefined && (
        <p role="status" className="muted">
          {formatCount(total)} {total === 1 ? "product" : "products"} on {sources[source]}
        </p>
      )}
      {total === 0 && <EmptyNotice title={`Nothing found for “${text}”`} />}
      <ProductGrid busy={busy}>
        {products.map((product) => (
          <MarketplaceCard key={product._id} product={product} />
        ))}
      </ProductGrid>
      {busy && <ProductGridSkeleton />}
      {error !== undefined && <ErrorNotice error={error} onRetry={next} />}
      {hasMore && !busy && error === undefined && <MoreTrigger onSeen={next} />}
      {!hasMore && products.length > 0 && <p className="muted center">That is all.</p>}
      <DeveloperPanel
        request={{
          method: "GET",
          path: `/search/${source}`,
          query: { q: text, count: pageSize, page: Math.max(1, Math.ceil(products.length / pageSize)) },
          needsToken: true,
          call: `searchMarketplace${source === "marketplace-a" ? "A" : "B"}(${JSON.stringify({ q: text, count: pageSize })})`,
        }}
      />
    </section>
  );
}

interface Pages {
  products: MarketplaceProduct[];
  total: number | undefined;
  hasMore: boolean;
  page: number;
}

function usePages(source: Source, text: string) {
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
      const answer = await (source === "marketplace-a"
        ? client.searchMarketplaceA(query, options)
        : client.searchMarketplaceB(query, options));
      setPages((previous) => ({
        products: [...previous.products, ...answer.Products],
        total: answer.count,
        hasMore: answer.hasMore,
        page: answer.page,
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
