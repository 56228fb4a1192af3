import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { ProductCard } from "../parts/product/product-card.tsx";
import { ProductDetail, ProductDetailSkeleton } from "../parts/product/product-detail.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product/product-grid.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { type FoundProduct, slugWords, useProduct } from "../service/product/use-product.ts";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useQueryState, useRequest } from "../service/use-request.ts";

const wantedProducts = 10;

/** The page of a product, also the one behind the `url` of a sample product. The slug is empty in `/product?id=`. */
export function ProductScreen({ slug }: { slug: string }) {
  const { token } = useService();
  const [id] = useQueryState("id");
  const search = useProduct(slug, id);
  const found = shownProduct(search, id);
  usePageTitle(found?.product.name ?? "Product");
  if (token === "" && slug === "") return <TokenNotice what="the page of this product" />;
  return (
    <>
      {!found && <h1 className="visually-hidden">Product</h1>}
      {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
      {search.phase !== "failed" && found === undefined && <ProductDetailSkeleton />}
      {found && (
        <>
          <ProductDetail {...found} />
          <SimilarProducts key={found.product._id} productId={found.product._id} />
          <BoughtTogether key={`${found.product._id} orders`} productId={found.product._id} />
        </>
      )}
      {found === null && (
        <EmptyNotice level={2} title="This product is not in the catalog">
          <p>It may have been removed. Products of a marketplace that is searched live have no page here.</p>
        </EmptyNotice>
      )}
      {(search.phase === "done" || search.phase === "failed") && (
        <DeveloperPanel requests={requestsFor(slug, found && token ? found.product._id : undefined)} />
      )}
    </>
  );
}

/** While another variant is on its way, the present one stays; any other product leaves its room to the next. */
function shownProduct(
  { phase, response }: Pick<ReturnType<typeof useProduct>, "phase" | "response">,
  id: string,
): FoundProduct | null | undefined {
  if (phase !== "loading" || !response) return response;
  return response.variants?.some(({ _id }) => _id === id) ? response : undefined;
}

function requestsFor(slug: string, id: string | undefined): [RequestSnippet, ...RequestSnippet[]] {
  if (id === undefined) return [trialRequest(slugWords(slug))];
  const path = `/products/${encodeURIComponent(id)}`;
  const request = { method: "GET", needsToken: true } as const;
  const name = JSON.stringify(id);
  return [
    { ...request, title: "Product", path, call: `getProduct(${name})` },
    {
      ...request,
      title: "Price history",
      path: `${path}/price-history`,
      query: { limit: 1000 },
      call: `listPriceHistory(${name}, { limit: 1000 })`,
    },
    {
      ...request,
      title: "Similar products",
      path: `${path}/similar`,
      query: { count: 10 },
      call: `similarProducts(${name}, { count: 10 })`,
    },
    {
      ...request,
      title: "Bought together",
      path: `${path}/related`,
      query: { kind: "boughtTogether", count: 10 },
      call: `relatedProducts(${name}, { kind: "boughtTogether", count: 10 })`,
    },
  ];
}

function trialRequest(q: string): RequestSnippet {
  return {
    title: "Search",
    method: "GET",
    path: "/search/trial",
    query: { q, literal: true },
    needsToken: false,
    call: `searchTrial(${JSON.stringify({ q, literal: true })})`,
  };
}

/** What looks like a product, or is of its category. A product with neither has nothing to compare: the section says so. */
function SimilarProducts({ productId }: { productId: string }) {
  const { client, token } = useService();
  const similar = useRequest(token && `${token} ${productId}`, (signal) =>
    client.similarProducts(productId, { count: wantedProducts }, { signal }),
  );
  if (token === "") return null;
  const products = similar.response?.Products;
  return (
    <section aria-labelledby="similar" className="results similar-products">
      <h2 id="similar" className="section-title">
        Similar products
      </h2>
      {similar.phase === "failed" && <ErrorNotice error={similar.error} onRetry={similar.retry} />}
      {similar.phase !== "failed" && !products && <ProductGridSkeleton />}
      {products?.length === 0 && (
        <p className="muted">No product of the catalog has similar images or the same category.</p>
      )}
      {products && (
        <ProductGrid>
          {products.map((product) => (
            <ProductCard key={product._id} product={product} />
          ))}
        </ProductGrid>
      )}
    </section>
  );
}

/** What the same orders have. Without such orders the service sends others, which are in the list of similar products. */
function BoughtTogether({ productId }: { productId: string }) {
  const { client, token } = useService();
  const { response } = useRequest(token && `${token} ${productId}`, (signal) =>
    client.relatedProducts(productId, { kind: "boughtTogether", count: wantedProducts }, { signal }),
  );
  if (response?.kind !== "boughtTogether") return null;
  return (
    <section aria-labelledby="bought-together">
      <h2 id="bought-together" className="section-title">
        Bought together
      </h2>
      <ProductGrid>
        {response.Products.map((product) => (
          <ProductCard key={product._id} product={product} />
        ))}
      </ProductGrid>
    </section>
  );
}
