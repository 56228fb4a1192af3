import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { ProductCard } from "../parts/product-card.tsx";
import { ProductDetail, ProductDetailSkeleton } from "../parts/product-detail.tsx";
import { ProductGrid } from "../parts/product-grid.tsx";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useRequest } from "../service/use-request.ts";

/** The page behind a product's `url`. A slug is made of the product's words, so a search for them finds it. */
export function ProductScreen({ slug }: { slug: string }) {
  const { client } = useService();
  const q = slug.replaceAll("-", " ").slice(0, 512);
  const search = useRequest(slug, (signal) => client.searchTrial({ q, literal: true }, { signal }));
  const product = search.response?.Products.find((one) => one.slug === slug);
  const others = search.response?.Products.filter((one) => one.slug !== slug) ?? [];
  usePageTitle(product?.name ?? "Product");
  return (
    <>
      {!search.response && <h1 className="visually-hidden">Product</h1>}
      {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
      {search.phase !== "failed" && !search.response && <ProductDetailSkeleton />}
      {product && <ProductDetail product={product} />}
      {search.response && !product && (
        <EmptyNotice level={1} title="This product is not in the catalog">
          <p>It may have been removed.</p>
        </EmptyNotice>
      )}
      {others.length > 0 && (
        <section aria-labelledby="similar">
          <h2 id="similar" className="section-title">
            Similar products
          </h2>
          <ProductGrid>
            {others.map((other) => (
              <ProductCard key={other._id} product={other} />
            ))}
          </ProductGrid>
        </section>
      )}
      {(search.phase === "done" || search.phase === "failed") && (
        <DeveloperPanel requests={[requestFor(q)]} />
      )}
    </>
  );
}

function requestFor(q: string): RequestSnippet {
  return {
    title: "Search",
    method: "GET",
    path: "/search/trial",
    query: { q, literal: true },
    needsToken: false,
    call: `searchTrial(${JSON.stringify({ q, literal: true })})`,
  };
}
