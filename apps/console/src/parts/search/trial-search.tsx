import type { TrialQuery } from "@product-search/client";
import { useId } from "react";
import { currency } from "../../service/format.ts";
import { readPriceRange, sortingIndex, sortings } from "../../service/search/catalog-address.ts";
import { useService } from "../../service/service-context.tsx";
import type { RequestSnippet } from "../../service/snippets.ts";
import { useQueryState, useRequest } from "../../service/use-request.ts";
import { DeveloperPanel } from "../developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../notice.tsx";
import { ProductCard } from "../product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../product/product-grid.tsx";
import { tokenBoxId } from "../shell/token-box-id.ts";
import { SearchHeading } from "./catalog-search.tsx";
import { SearchField } from "./search-field.tsx";
import { Ways } from "./welcome.tsx";

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
      <section className={text.trim() === "" ? "hero" : "hero compact"}>
        <SearchHeading isAsked={text.trim() !== ""} q={text} />
        <SearchField
          label="Search the catalog"
          value={text}
          onChange={setText}
          placeholder="Search products"
          isFirst
        />
        <SearchFilters fault={price.kind === "wrong" ? price.fault : undefined} />
      </section>
      {text.trim() === "" ? (
        <div className="results">
          <TokenHint text="Type to see the five best products. Who has signed in gets all of them, with categories, filters and suggestions." />
          <Ways />
        </div>
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
              <TokenHint text="These are the five best products. Who has signed in gets all of them, with filters and suggestions." />
            </>
          )}
          <p className="visually-hidden" aria-live="polite">
            {search.phase === "done" ? `${search.response.Products.length} products shown` : ""}
          </p>
        </section>
      )}
      {isAsked && <DeveloperPanel requests={[describe(query)]} />}
    </>
  );
}

function TokenHint({ text }: { text: string }) {
  return (
    <p className="muted token-hint">
      {text}{" "}
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

/** Price bounds and order of the catalog search, kept in the page's address. */
function SearchFilters({ fault }: { fault: string | undefined }) {
  const faultId = useId();
  const [least, setLeast] = useQueryState("min");
  const [most, setMost] = useQueryState("max");
  const [sort, setSort] = useQueryState("sort");
  const [order, setOrder] = useQueryState("order");
  const priceField = (label: string, value: string, onChange: (value: string) => void) => (
    <input
      aria-label={label}
      aria-invalid={fault !== undefined}
      aria-describedby={fault === undefined ? undefined : faultId}
      inputMode="decimal"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      size={6}
    />
  );
  return (
    <div className="filters row">
      <fieldset className="price-fields">
        <legend className="visually-hidden">Price</legend>
        <span aria-hidden="true">{currency} from</span>
        {priceField("Lowest price", least, setLeast)}
        <span aria-hidden="true">to</span>
        {priceField("Highest price", most, setMost)}
      </fieldset>
      <label>
        Sort by
        <select
          value={sortingIndex(sort, order)}
          onChange={(event) => {
            const [, chosen = {}] = sortings[Number(event.target.value)] ?? [];
            setSort(chosen.sort ?? "");
            setOrder(chosen.order ?? "");
          }}
        >
          {sortings.map(([name], index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {fault && (
        <p id={faultId} className="field-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
