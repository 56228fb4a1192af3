import type { Hit, SearchClient, SearchResult } from "@product-search/instantsearch";
import type { BaseHit, Hit as InstantSearchHit } from "instantsearch.js";
import { history } from "instantsearch.js/es/lib/routers";
import { useEffect, useRef } from "react";
import {
  Breadcrumb,
  Configure,
  CurrentRefinements,
  Highlight,
  InstantSearch,
  SortBy,
  useInfiniteHits,
  useInstantSearch,
  useSearchBox,
  useStats,
} from "react-instantsearch";
import { Filters } from "../parts/filters.tsx";
import { ProductCard, ProductGrid } from "../parts/product-card.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { countText, shop, useTitle } from "../shop.ts";

const index = "products";
const levels = ["categoryPaths.lvl0", "categoryPaths.lvl1", "categoryPaths.lvl2"];

/** For the server, which has no address bar and asks the service in its own way. */
export interface SearchPageProps {
  url?: URL | undefined;
  searchClient?: SearchClient | undefined;
}

export function SearchPage({ url, searchClient = shop.searchClient }: SearchPageProps) {
  useTitle("Shop");
  const router = history({ getLocation: () => (url ?? location) as Location });
  return (
    <InstantSearch
      searchClient={searchClient}
      indexName={index}
      routing={{ router }}
      insights={{ insightsClient: shop.insightsClient, insightsInitParams: { useCookie: false } }}
      future={{ preserveSharedStateOnUnmount: true }}
    >
      <h1 className="hidden">All products</h1>
      <Configure hitsPerPage={24} />
      <SearchField />
      <div className="columns">
        <Filters />
        <section aria-label="Products" className="found">
          <h2 className="hidden">Products</h2>
          <div className="bar">
            <Count />
            <SortBy
              items={[
                { value: index, label: "Best match" },
                { value: `${index}/popularity`, label: "Most popular" },
                { value: `${index}/newest`, label: "Newest" },
                { value: `${index}/price/asc`, label: "Price, lowest first" },
                { value: `${index}/price/desc`, label: "Price, highest first" },
                { value: `${index}/rating`, label: "Best rated" },
              ]}
            />
          </div>
          <Breadcrumb attributes={levels} />
          <CurrentRefinements excludedAttributes={[...levels, "query"]} />
          <Reading />
          <Hits />
        </section>
      </div>
    </InstantSearch>
  );
}

function Count() {
  const { nbHits } = useStats();
  const { status } = useInstantSearch();
  const found = `${countText(nbHits)} ${nbHits === 1 ? "product" : "products"}`;
  return (
    <p role="status" className="count">
      {status === "stalled" ? "Searching …" : found}
    </p>
  );
}

/** What the service adds to a result of InstantSearch. */
type ServiceResult = Pick<
  SearchResult,
  "correctedQuery" | "ignoredWords" | "redirectUrl" | "related" | "error"
>;

/** What the words were taken for, and where a rule leads elsewhere. */
function Reading() {
  const { results, status, error } = useInstantSearch({ catchError: true });
  const { refine } = useSearchBox();
  const { correctedQuery, ignoredWords = [], redirectUrl, error: busy } = results as ServiceResult;
  const failure = status === "error" ? error : busy;
  useEffect(() => {
    if (redirectUrl !== undefined) location.assign(redirectUrl);
  }, [redirectUrl]);
  if (failure)
    return (
      <p role="alert" className="note">
        The search does not respond: {failure.message}
      </p>
    );
  return (
    <div aria-live="polite">
      {correctedQuery !== undefined && (
        <p className="note">
          Results for{" "}
          <button type="button" className="link" onClick={() => refine(correctedQuery)}>
            {correctedQuery}
          </button>
        </p>
      )}
      {ignoredWords.length > 0 && results.nbHits > 0 && (
        <p className="note">No product has all of it. Without “{ignoredWords.join("”, “")}”:</p>
      )}
    </div>
  );
}

/** On every screen without scrolling. */
const firstHits = 4;

type ProductHit = InstantSearchHit<Hit & BaseHit>;

function Hits() {
  const { items, isLastPage, showMore, sendEvent } = useInfiniteHits<Hit & BaseHit>();
  const { results, status } = useInstantSearch();
  const end = useRef<HTMLDivElement>(null);
  const shown = items.length;
  useEffect(() => {
    const mark = end.current;
    if (mark === null || isLastPage || shown === 0) return;
    const watcher = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) showMore();
      },
      { rootMargin: "600px" },
    );
    watcher.observe(mark);
    return () => watcher.disconnect();
  }, [isLastPage, showMore, shown]);
  const { related = [] } = results as ServiceResult;
  const isEmpty = shown === 0 && status === "idle" && !results.__isArtificial;
  return (
    <>
      <ul className="grid" aria-busy={status === "loading" || status === "stalled"}>
        {items.map((hit: ProductHit, place) => (
          <li key={hit.objectID}>
            <ProductCard
              product={hit}
              isFirst={place < firstHits}
              name={<Highlight attribute="name" hit={hit} />}
              onFollow={() => sendEvent("click", hit, "Product opened")}
            />
          </li>
        ))}
      </ul>
      {isEmpty && (
        <section className="empty">
          <h2>Nothing found</h2>
          <p>Try fewer words, or remove a filter.</p>
        </section>
      )}
      {related.length > 0 && (
        <section>
          <h2>{isEmpty ? "You may like" : "Similar to your search"}</h2>
          <ProductGrid products={related} />
        </section>
      )}
      {!isLastPage && shown > 0 && (
        <button type="button" className="more" onClick={showMore}>
          Show more
        </button>
      )}
      <div ref={end} />
    </>
  );
}
