import type { CatalogSearchResponse } from "@product-search/client";
import { useRef } from "react";
import { activeFilters } from "../../service/catalog/active-filters.ts";
import {
  type CatalogAddress,
  resultsPerPage,
  toCatalogQuery,
} from "../../service/catalog/catalog-address.ts";
import { sortingIndex, sortings } from "../../service/catalog/sortings.ts";
import type { ChangeSearch } from "../../service/catalog/use-catalog-address.ts";
import { useCatalogSearch } from "../../service/catalog/use-catalog-search.ts";
import { formatCount } from "../../service/money.ts";
import { useMediaQuery } from "../../service/use-media-query.ts";
import { ErrorNotice } from "../notice.tsx";
import { ProductCard } from "../product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../product/product-grid.tsx";
import { ActiveFilters } from "./active-filters.tsx";
import { FacetPanel, FacetPanelSkeleton } from "./facet-panel.tsx";
import { FacetSheet } from "./facet-sheet.tsx";
import { NoResults } from "./no-results.tsx";
import { Pagination } from "./pagination.tsx";

interface CatalogResultsProps {
  address: CatalogAddress;
  onChange: ChangeSearch;
}

/** The filters on one side, one page of results on the other. */
export function CatalogResults({ address, onChange }: CatalogResultsProps) {
  const search = useCatalogSearch(toCatalogQuery(address));
  const { response, isBusy } = search;
  const isNarrow = useMediaQuery("(max-width: 48rem)");
  const head = useRef<HTMLDivElement>(null);
  // A page that was turned begins at its beginning; where Back leads to, the browser knows.
  const scrollToHead = () => {
    head.current?.scrollIntoView({ block: "start" });
  };
  const panel = response?.facets ? (
    <FacetPanel facets={response.facets} address={address} onChange={onChange} />
  ) : (
    search.phase !== "failed" && <FacetPanelSkeleton />
  );
  return (
    <section aria-labelledby="results" className="results catalog-results">
      <h2 id="results" className="visually-hidden">
        Results
      </h2>
      {!isNarrow && <aside aria-label="Filters">{panel}</aside>}
      <div>
        <div className="row spread results-head" ref={head}>
          <p role="status">{search.phase === "failed" ? "" : countText(response)}</p>
          <div className="row">
            {isNarrow && panel && (
              <FacetSheet active={activeFilters(address).length} results={response?.count}>
                {panel}
              </FacetSheet>
            )}
            <SortSelect address={address} onChange={onChange} />
          </div>
        </div>
        <ActiveFilters address={address} response={response} onChange={onChange} />
        {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
        {isBusy && !response && <ProductGridSkeleton count={resultsPerPage / 2} />}
        {response && search.phase !== "failed" && (
          <Found
            address={address}
            response={response}
            isBusy={isBusy}
            onChange={onChange}
            onTurn={scrollToHead}
          />
        )}
      </div>
    </section>
  );
}

interface FoundProps extends CatalogResultsProps {
  response: CatalogSearchResponse;
  isBusy: boolean;
  onTurn: () => void;
}

function Found({ address, response, isBusy, onChange, onTurn }: FoundProps) {
  const { Products, count, correctedQuery, ignoredWords = [], related = [] } = response;
  return (
    <>
      {count === 0 ? (
        <NoResults address={address} response={response} onChange={onChange} />
      ) : (
        (correctedQuery !== undefined || ignoredWords.length > 0) && (
          <p className="muted">
            {correctedQuery !== undefined && `Results for “${correctedQuery}”. `}
            {ignoredWords.length > 0 && `No product has all the words. Ignored: ${ignoredWords.join(", ")}.`}
          </p>
        )
      )}
      <ProductGrid busy={isBusy}>
        {Products.map((product) => (
          <ProductCard key={product._id} product={product} />
        ))}
      </ProductGrid>
      {count > 0 && Products.length === 0 && <p>This page has no products. Go back to an earlier one.</p>}
      <Pagination address={address} results={count} onTurn={onTurn} />
      {related.length > 0 && (
        <section aria-labelledby="related">
          <h2 id="related" className="section-title">
            Products with some of the words
          </h2>
          <ProductGrid>
            {related.map((product) => (
              <ProductCard key={product._id} product={product} />
            ))}
          </ProductGrid>
        </section>
      )}
    </>
  );
}

function countText(response: CatalogSearchResponse | undefined): string {
  if (!response) return "Searching…";
  return `${formatCount(response.count)} ${response.count === 1 ? "product" : "products"}`;
}

function SortSelect({ address, onChange }: CatalogResultsProps) {
  return (
    <label className="sort">
      <span>Sort by</span>
      <select
        value={sortingIndex(address.sort, address.order)}
        onChange={(event) => {
          const [, chosen = {}] = sortings[Number(event.target.value)] ?? [];
          onChange({ sort: chosen.sort ?? "", order: chosen.order ?? "" });
        }}
      >
        {sortings.map(([name], index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
