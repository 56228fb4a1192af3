import type { Product } from "@product-search/client";
import { Link } from "wouter";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { PriceChart } from "../parts/price-chart.tsx";
import { ProductCard } from "../parts/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product-grid.tsx";
import { ProductPicture } from "../parts/product-picture.tsx";
import { Rating } from "../parts/rating.tsx";
import { formatPrice } from "../service/money.ts";
import { useService } from "../service/service-context.tsx";
import { useRequest } from "../service/use-request.ts";

/** The page behind a product's `url`. A slug is made of the product's words, so a search for them finds it. */
export function ProductScreen({ slug }: { slug: string }) {
  const { client } = useService();
  const words = slug.replaceAll("-", " ").slice(0, 512);
  const search = useRequest(slug, (signal) => client.searchTrial({ q: words }, { signal }));

  if (search.phase === "failed") return <ErrorNotice error={search.error} onRetry={search.retry} />;
  if (!search.answer) return <ProductGridSkeleton count={1} />;
  const product = search.answer.Products.find((one) => one.slug === slug);
  const others = search.answer.Products.filter((one) => one.slug !== slug);
  return (
    <>
      {product ? (
        <ProductDetail product={product} />
      ) : (
        <EmptyNotice level={1} title="This product is not in the catalog">
          <p>It may have been taken out. {others.length > 0 ? "These come close:" : ""}</p>
        </EmptyNotice>
      )}
      {others.length > 0 && (
        <section aria-labelledby="similar">
          <h2 id="similar">{product ? "Similar products" : "Close to it"}</h2>
          <ProductGrid>
            {others.map((other) => (
              <ProductCard key={other._id} product={other} />
            ))}
          </ProductGrid>
        </section>
      )}
    </>
  );
}

function ProductDetail({ product }: { product: Product }) {
  const {
    name,
    brand,
    storeName,
    images,
    price,
    discountVal,
    averageRating,
    serviceScore,
    priceHistory,
    isVerified,
  } = product;
  return (
    <article className="product-detail">
      <ProductPicture src={images[0]} />
      <div>
        <h1>{name}</h1>
        <p className="muted">
          {brand && (
            <>
              <Link href={`/brands/${encodeURIComponent(brand)}`}>{brand}</Link>
              {" · "}
            </>
          )}
          sold by {storeName}
        </p>
        <p className="price-line big">
          <strong>{formatPrice(price)}</strong>
          {discountVal > 0 && <span className="tag">−{Math.round(discountVal)} % in 30 days</span>}
          {isVerified && <span className="tag">verified</span>}
        </p>
        <dl className="facts">
          {averageRating !== undefined && (
            <>
              <dt>Rating</dt>
              <dd>
                <Rating value={averageRating} />
              </dd>
            </>
          )}
          {serviceScore !== undefined && (
            <>
              <dt>Our score</dt>
              <dd>{serviceScore} of 100</dd>
            </>
          )}
        </dl>
        {priceHistory.length > 1 && (
          <figure className="price-figure">
            <PriceChart history={priceHistory} />
            <figcaption className="muted small-text">
              Price since {new Date(priceHistory[0]?.date ?? 0).toLocaleDateString()}
            </figcaption>
          </figure>
        )}
      </div>
    </article>
  );
}
