import type { TrialQuery } from "@product-search/client";
import { readPriceRange } from "../../service/catalog/price-range.ts";
import { sortingIndex, sortings } from "../../service/catalog/sortings.ts";
import { useService } from "../../service/service-context.tsx";
import type { RequestSnippet } from "../../service/snippets.ts";
import { useQueryState } from "../../service/use-query-state.ts";
import { useRequest } from "../../service/use-request.ts";
import { DeveloperPanel } from "../developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../notice.tsx";
import { ProductCard } from "../product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../product/product-grid.tsx";
import { tokenBoxId } from "../shell/token-box-id.ts";
import { SearchField } from "./search-field.tsx";
import { SearchFilters } from "./search-filters.tsx";
import { Welcome } from "./welcome.tsx";

const typingPauseMs = 180;

/** Without a token: the five best products, as one types. */
export function TrialSearch() {
  const { client } = useService();
  const [text, setText] = useQueryState("q");
  const [least] = useQueryState("min");
  const [most] = useQueryState("max");
  const [sort] = useQueryState("sort");
  const [order] = useQueryState("order");
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
        <SearchField
          label="Search the catalog"
          value={text}
          onChange={setText}
          placeholder="running shoes"
          isFirst
        />
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
            <>
              <ProductGrid busy={search.phase === "loading"}>
                {search.response.Products.map((product) => (
                  <ProductCard key={product._id} product={product} />
                ))}
              </ProductGrid>
              <TokenHint />
            </>
          )}
          <p className="visually-hidden" aria-live="polite">
            {search.phase === "done" ? `${search.response.Products.length} products shown` : ""}
          </p>
        </section>
      )}
    </>
  );
}

function TokenHint() {
  return (
    <p className="muted token-hint">
      These are the five best products. With a token you get all of them, with filters and suggestions.{" "}
      <button type="button" className="small" popoverTarget={tokenBoxId}>
        Set a token
      </button>
    </p>
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
