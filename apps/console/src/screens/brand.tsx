import { isProductSearchError } from "@product-search/client";
import { useState } from "react";
import { Link } from "wouter";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { ProductCard } from "../parts/product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product/product-grid.tsx";
import { SearchField } from "../parts/search/search-field.tsx";
import { tokenBoxId } from "../parts/shell/token-box-id.ts";
import { letterOf, marketplaces } from "../service/marketplaces.ts";
import { useService } from "../service/service-context.tsx";
import { usePageTitle } from "../service/use-page-title.ts";
import { useRequest } from "../service/use-request.ts";

/** The page behind `serviceBrandPageUrl`: the brand's best products. */
export function BrandScreen({ name }: { name: string }) {
  const { client, token } = useService();
  const search = useRequest(name, (signal) =>
    client.searchTrial({ q: name.slice(0, 512), literal: true }, { signal }),
  );
  usePageTitle(name);
  const products =
    search.response?.Products.filter(({ brand }) => brand?.toLowerCase() === name.toLowerCase()) ?? [];
  return (
    <>
      <section className="hero">
        <h1>{name}</h1>
        <ul className="chips">
          {token && (
            <li>
              <Link className="chip" href={`/?${new URLSearchParams({ brands: name })}`}>
                All in the catalog
              </Link>
            </li>
          )}
          {marketplaces.map((one) => (
            <li key={one}>
              <Link className="chip" href={`/marketplaces?${new URLSearchParams({ q: name, from: one })}`}>
                On marketplace {letterOf(one)}
              </Link>
            </li>
          ))}
        </ul>
        <BrandSearch />
      </section>
      <h2 className="visually-hidden">Products</h2>
      {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
      {search.phase === "loading" && <ProductGridSkeleton />}
      {search.phase === "done" && products.length === 0 && (
        <EmptyNotice title="The catalog has no products of this brand">
          <p>Search the marketplaces instead.</p>
        </EmptyNotice>
      )}
      {products.length > 0 && (
        <ProductGrid>
          {products.map((product) => (
            <ProductCard key={product._id} product={product} />
          ))}
        </ProductGrid>
      )}
      {(search.phase === "done" || search.phase === "failed") && (
        <DeveloperPanel
          requests={[
            {
              title: "Best products of the brand",
              method: "GET",
              path: "/search/trial",
              query: { q: name, literal: true },
              needsToken: false,
              call: `searchTrial(${JSON.stringify({ q: name, literal: true })})`,
            },
          ]}
        />
      )}
    </>
  );
}

/** Brands by name, fuzzily: each leads to its page. */
function BrandSearch() {
  const { client, token } = useService();
  const [text, setText] = useState("");
  const search = useRequest(
    token && text.trim() ? `${token} ${text}` : undefined,
    (signal) => client.searchBrands({ query: text }, { signal }),
    200,
  );
  const isUnknown =
    search.phase === "failed" &&
    isProductSearchError(search.error) &&
    search.error.code === "brand_not_found";
  return (
    <section aria-labelledby="brands" className="panel">
      <h2 id="brands">Find a brand</h2>
      <SearchField label="Search brands" value={text} onChange={setText} placeholder="brand name" />
      {!token && (
        <p className="muted">
          Sign in to search brands.{" "}
          <button type="button" className="small" popoverTarget={tokenBoxId}>
            Set a token
          </button>
        </p>
      )}
      {isUnknown && <p role="status">No brand found for “{text}”.</p>}
      {search.phase === "failed" && !isUnknown && <ErrorNotice error={search.error} onRetry={search.retry} />}
      <ul className="chips">
        {search.response?.brands.map(({ name, serviceBrandPageUrl }) => (
          <li key={name}>
            <Link className="chip" href={pathOf(serviceBrandPageUrl)}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
      {text.trim() !== "" && (
        <DeveloperPanel
          requests={[
            {
              title: "Search brands",
              method: "POST",
              path: "/search/brands",
              body: { query: text },
              needsToken: true,
              call: `searchBrands(${JSON.stringify({ query: text })})`,
            },
          ]}
        />
      )}
    </section>
  );
}

/** The service's own address leads to this very page. */
function pathOf(address: string): string {
  return URL.canParse(address) ? new URL(address).pathname : "/";
}
