import { Link } from "wouter";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { ProductCard } from "../parts/product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product/product-grid.tsx";
import { useService } from "../service/service-context.tsx";
import { usePageTitle } from "../service/use-page-title.ts";
import { useRequest } from "../service/use-request.ts";
import { BrandSearch } from "./brand-search.tsx";

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
          {["a", "b"].map((letter) => (
            <li key={letter}>
              <Link className="chip" href={`/marketplaces?${marketplaceQuery(name, letter)}`}>
                On marketplace {letter.toUpperCase()}
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

function marketplaceQuery(name: string, letter: string): URLSearchParams {
  return new URLSearchParams({ q: name, from: `marketplace-${letter}` });
}
