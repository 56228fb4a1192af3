import type { Product } from "@product-search/client";
import { Link } from "wouter";
import { formatPrice } from "../service/money.ts";
import { PriceChart, summarize } from "./price-chart.tsx";
import { ProductImage } from "./product-image.tsx";
import { Rating } from "./rating.tsx";

/** All that the service says of one product. */
export function ProductDetail({ product }: { product: Product }) {
  const { name, brand, storeName, images, price, discountVal, averageRating, serviceScore } = product;
  const { priceHistory, isVerified } = product;
  return (
    <article className="product-detail">
      <ProductImage src={images[0]} />
      <div>
        <h1 dir="auto">{name}</h1>
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
          {discountVal > 0 && (
            <span className="tag">
              −{Math.round(discountVal)} % below the lowest price of the 30 days before
            </span>
          )}
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
              <dt>Quality score</dt>
              <dd>{serviceScore} out of 100</dd>
            </>
          )}
        </dl>
        {priceHistory.length > 0 && <PriceFigure history={priceHistory} />}
      </div>
    </article>
  );
}

function PriceFigure({ history }: { history: Product["priceHistory"] }) {
  return (
    <figure className="price-figure">
      <PriceChart history={history} />
      <figcaption className="muted small-text">Price {summarize(history)}</figcaption>
    </figure>
  );
}

/** The room that it will take. */
export function ProductDetailSkeleton() {
  return (
    <div className="product-detail skeleton" role="status" aria-label="Loading">
      <div className="product-image" />
      <div className="stack">
        <div className="bar tall" />
        <div className="bar short" />
        <div className="bar shorter" />
      </div>
    </div>
  );
}
