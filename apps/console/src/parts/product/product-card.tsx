import type { MarketplaceProduct, Product } from "@product-search/client";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { formatDiscount, formatPrice } from "../../service/money.ts";
import { productPath } from "../../service/product/product-path.ts";
import { ProductImage } from "./product-image.tsx";
import { Rating } from "./rating.tsx";

/** A product of the catalog, with its history. */
export function ProductCard({ product }: { product: Product }) {
  const { name, brand, storeName, images, price, discountVal, averageRating, isVerified } = product;
  return (
    <Card
      href={productPath(product)}
      image={images[0]}
      name={name}
      brand={brand}
      storeName={storeName}
      badge={discountVal > 0 ? formatDiscount(discountVal) : undefined}
      isVerified={isVerified}
    >
      <p className="price-line">
        <strong>{formatPrice(price)}</strong>
        {averageRating !== undefined && <Rating value={averageRating} />}
      </p>
    </Card>
  );
}

/** A product of a marketplace: it leads out of this page. */
export function MarketplaceCard({ product }: { product: MarketplaceProduct }) {
  const { name, brand, storeName, images, price, averageRating, availability, url } = product;
  const original = "originalPrice" in product ? product.originalPrice : price;
  const reviews = "reviewCount" in product ? product.reviewCount : undefined;
  return (
    <Card
      outside={url}
      image={images[0]}
      name={name}
      brand={brand}
      storeName={storeName}
      badge={original > price ? formatDiscount(100 * (1 - price / original)) : undefined}
    >
      <p className="price-line">
        <strong>{formatPrice(price)}</strong>
        {original > price && <s className="muted">{formatPrice(original)}</s>}
      </p>
      <p className="small-text">
        {averageRating !== undefined && (
          <>
            <Rating value={averageRating} {...(reviews !== undefined && { count: reviews })} />
            {" · "}
          </>
        )}
        <span className="muted">{availability}</span>
      </p>
      <p className="small-text">
        <Link href={productPath(product)} className="above">
          Price history and alerts
        </Link>
      </p>
    </Card>
  );
}

interface CardProps {
  href?: string;
  outside?: string;
  image: string | undefined;
  name: string;
  brand: string | undefined;
  storeName: string;
  badge: string | undefined;
  isVerified?: boolean;
  children: ReactNode;
}

function Card({ href, outside, image, name, brand, storeName, badge, isVerified, children }: CardProps) {
  return (
    <article className="card">
      <ProductImage src={image} />
      {badge && <span className="badge">{badge}</span>}
      {isVerified && <span className="tag card-tag">verified</span>}
      <div className="card-text">
        <h3 dir="auto">
          <CardLink href={href} outside={outside}>
            {name}
          </CardLink>
        </h3>
        <p className="muted small-text card-seller">
          {brand && (
            <>
              <Link href={`/brands/${encodeURIComponent(brand)}`} className="above">
                {brand}
              </Link>
              {" · "}
            </>
          )}
          {storeName}
        </p>
        {children}
      </div>
    </article>
  );
}

/** Only http addresses become links: a feed could carry anything. */
function CardLink({
  href,
  outside,
  children,
}: {
  href: string | undefined;
  outside: string | undefined;
  children: ReactNode;
}) {
  if (href !== undefined) {
    return (
      <Link href={href} className="card-link">
        {children}
      </Link>
    );
  }
  if (outside === undefined || !/^https?:\/\//i.test(outside)) return children;
  return (
    <a href={outside} className="card-link" rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  );
}
