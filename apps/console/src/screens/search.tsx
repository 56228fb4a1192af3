import type { TrialQuery } from "@product-search/client";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { ProductCard } from "../parts/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product-grid.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { SearchFilters } from "../parts/search-filters.tsx";
import { Welcome } from "../parts/welcome.tsx";
import { readPriceRange } from "../service/price-range.ts";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { sortingIndex, sortings } from "../service/sortings.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useQueryState } from "../service/use-query-state.ts";
import { useRequest } from "../service/use-request.ts";

const typingPauseMs = 180;

/** Text search of the catalog, with results as one types. */
export function SearchScreen() {
  const { client } = useService();
  const [text, setText] = useQueryState("q");
  const [least] = useQueryState("min");
  const [most] = useQueryState("max");
  const [sort] = useQueryState("sort");
  const [order] = useQueryState("order");
  usePageTitle(text);

  const price = readPriceRange(least, most);
  const query: TrialQuery = {
    q: text,
    ...(price.kind === "range" && { priceRange: price.range }),
    ...sortings[sortingIndex(sort, order)]?.[1],
  };
  const isAsked = text.trim() !== "" && price.kind !== "wrong";
  const search = useRequest(
    isAsked ? JSON.stringify(query) : undefined,
    (signal) => client.searchTrial(query, { signal }),
    typingPauseMs,
  );

  return (
    <>
      <section className="hero">
        <h1>What are you looking for?</h1>
        <SearchField label="Search the catalog" value={text} onChange={setText} placeholder="running shoes" />
        <SearchFilters fault={price.kind === "wrong" ? price.fault : undefined} />
        {isAsked && <DeveloperPanel requests={[describe(query)]} />}
      </section>
      {text.trim() === "" ? (
        <Welcome onChoose={setText} />
      ) : (
        <section aria-labelledby="results" className="results">
          <h2 id="results" className="visually-hidden">
            Results
          </h2>
          {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
          {search.phase === "loading" && !search.response && <ProductGridSkeleton />}
          {search.response?.Products.length === 0 && (
            <EmptyNotice title={`Nothing found for “${text}”`}>
              <p>Use fewer or different words{price.kind === "range" ? ", or a wider price range" : ""}.</p>
            </EmptyNotice>
          )}
          {search.response && search.response.Products.length > 0 && (
            <ProductGrid busy={search.phase === "loading"}>
              {search.response.Products.map((product) => (
                <ProductCard key={product._id} product={product} />
              ))}
            </ProductGrid>
          )}
          <p className="visually-hidden" aria-live="polite">
            {search.phase === "done" ? `${search.response.Products.length} products shown` : ""}
          </p>
        </section>
      )}
    </>
  );
}

function describe(query: TrialQuery): RequestSnippet {
  const { priceRange, ...rest } = query;
  return {
    title: "Search",
    method: "GET",
    path: "/search/trial",
    query: { ...rest, priceRange: priceRange && `[${priceRange.join(",")}]` },
    needsToken: false,
    call: `searchTrial(${JSON.stringify(query)})`,
  };
}
