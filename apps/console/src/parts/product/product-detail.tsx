import type { AnyProduct } from "@product-search/client";
import { Link } from "wouter";
import { formatDay } from "../../service/days.ts";
import { formatPrice } from "../../service/money.ts";
import { lowestBefore, type PricePoint } from "../../service/product/price-history.ts";
import { usePriceHistory } from "../../service/product/use-price-history.ts";
import type { FoundProduct } from "../../service/product/use-product.ts";
import { AlertForm } from "./alert-form.tsx";
import { Gallery } from "./gallery.tsx";
import { PriceFigure } from "./price-figure.tsx";
import { ProductFacts } from "./product-facts.tsx";

/** All that the service says of one product. */
export function ProductDetail({ product, availability }: FoundProduct) {
  const { name, brand, storeName, images, price } = product;
  const isVerified = "isVerified" in product && product.isVerified;
  const points = usePriceHistory(product);
  return (
    <article>
      <div className="product-detail">
        <Gallery images={images} name={name} />
        <div className="stack">
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
            <Discount product={product} points={points} />
            {isVerified && <span className="tag">verified</span>}
          </p>
          <ProductFacts product={product} availability={availability} />
          <ShopLink url={product.url} storeName={storeName} />
          <AlertForm productId={product._id} />
        </div>
      </div>
      <PriceFigure points={points} />
    </article>
  );
}

/** The discount as the law has it: against the lowest price of the 30 days before. */
function Discount({ product, points }: { product: AnyProduct; points: readonly PricePoint[] }) {
  const lowest = lowestBefore(points);
  const present = points.at(-1);
  if (lowest === undefined || !present) return null;
  const percent = "discountVal" in product ? Math.round(product.discountVal) : 0;
  const since = formatDay(present.atMs);
  return percent > 0 ? (
    <span className="tag">
      −{percent} % since {since}: the lowest price of the 30 days before was {formatPrice(lowest)}
    </span>
  ) : (
    <span className="muted small-text">
      since {since}; lowest price of the 30 days before: {formatPrice(lowest)}
    </span>
  );
}

/** Only http URLs become links, and none to this page itself: a sample product has no shop behind it. */
function ShopLink({ url, storeName }: { url: string; storeName: string }) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  if (origin === location.origin && pathname === location.pathname)
    return (
      <p className="muted small-text">The URL of this product is this page: it has no page in a shop.</p>
    );
  return (
    <p>
      <a className="button primary" href={url} rel="noopener noreferrer nofollow" target="_blank">
        View at {storeName}
      </a>
    </p>
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
