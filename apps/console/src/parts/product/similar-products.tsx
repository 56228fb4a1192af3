import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { ErrorNotice } from "../notice.tsx";
import { ProductCard } from "./product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "./product-grid.tsx";

const wantedProducts = 10;

/** What looks like a product. A product without described images has nothing to compare: the section says so. */
export function SimilarProducts({ productId }: { productId: string }) {
  const { client, token } = useService();
  const similar = useRequest(token && `${token} ${productId}`, (signal) =>
    client.similarProducts(productId, { count: wantedProducts }, { signal }),
  );
  if (token === "") return null;
  const products = similar.response?.Products;
  return (
    <section aria-labelledby="similar" className="results">
      <h2 id="similar" className="section-title">
        Similar products
      </h2>
      {similar.phase === "failed" && <ErrorNotice error={similar.error} onRetry={similar.retry} />}
      {similar.phase !== "failed" && !products && <ProductGridSkeleton />}
      {products?.length === 0 && (
        <p className="muted">
          No products with similar images. Only products of the catalog are compared, by their images.
        </p>
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
