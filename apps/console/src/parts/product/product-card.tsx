import type { MarketplaceProduct, Product, ProductVariant } from "@product-search/client";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { formatDiscount, formatPrice, formatPriceRange } from "../../service/format.ts";
import { productPath } from "../../service/product/use-product.ts";
import { type VariantOption, variantAxes } from "../../service/product/variants.ts";
import { ProductImage, Rating } from "./product-grid.tsx";

interface ProductCardProps {
  product: Product;
  /** The page of the product or of one of its variants is opened. */
  onOpen?: (productId: string) => void;
  /** What can be done with it, below everything else. */
  tools?: ReactNode;
}

/** A product of the catalog, or a group of variants with the best of them. */
export function ProductCard({ product, onOpen, tools }: ProductCardProps) {
  const { name, brand, storeName, images, price, originalPrice, discountVal, averageRating, isVerified } =
    product;
  const { variants = [], variantPrices = { min: price, max: price } } = product;
  /** The variant that is pointed at. */
  const [shown, setShown] = useState<ProductVariant>();
  const hasRange = variantPrices.min < variantPrices.max;
  const former = !shown && !hasRange && originalPrice !== undefined && originalPrice > price;
  return (
    <Card
      href={productPath(shown ?? product)}
      onOpen={() => onOpen?.((shown ?? product)._id)}
      image={shown?.image ?? images[0]}
      options={
        <VariantOptions
          variants={variants}
          count={product.variantCount ?? 1}
          onShow={setShown}
          onOpen={onOpen}
        />
      }
      name={name}
      brand={brand}
      storeName={storeName}
      badge={discountVal > 0 ? formatDiscount(discountVal) : undefined}
      isVerified={isVerified}
      rating={averageRating !== undefined && <Rating value={averageRating} />}
    >
      <p className="price-line">
        {shown === undefined && hasRange ? (
          <strong className="price-range">{formatPriceRange(variantPrices.min, variantPrices.max)}</strong>
        ) : (
          <strong>{formatPrice(shown?.price ?? price)}</strong>
        )}
        {former && <FormerPrice price={originalPrice} />}
      </p>
      {tools}
    </Card>
  );
}

/** A product of a marketplace: it leads out of this page. */
export function MarketplaceCard({ product }: { product: MarketplaceProduct }) {
  const { name, brand, storeName, images, price, averageRating, availability, url } = product;
  const original = product.originalPrice ?? price;
  return (
    <Card
      outside={url}
      image={images[0]}
      name={name}
      brand={brand}
      storeName={storeName}
      badge={original > price ? formatDiscount(100 * (1 - price / original)) : undefined}
      rating={
        averageRating !== undefined && (
          <Rating
            value={averageRating}
            {...(product.reviewCount !== undefined && { count: product.reviewCount })}
          />
        )
      }
    >
      <p className="price-line">
        <strong>{formatPrice(price)}</strong>
        {original > price && <FormerPrice price={original} />}
      </p>
      <p className="small-text muted">{availability}</p>
      <p className="small-text">
        <Link href={productPath(product)} className="above">
          Price history and alerts
        </Link>
      </p>
    </Card>
  );
}

/** What the shop states as the price before. */
export function FormerPrice({ price }: { price: number }) {
  return (
    <s className="muted">
      <span className="visually-hidden">Former price </span>
      {formatPrice(price)}
    </s>
  );
}

const maxSwatches = 5;

/** Longer texts would cover the image. */
const maxLetters = 18;

interface VariantOptionsProps {
  variants: readonly ProductVariant[];
  /** All of the group that match; there are more than `variants` in large groups. */
  count: number;
  onShow: (variant: ProductVariant | undefined) => void;
  onOpen: ((productId: string) => void) | undefined;
}

/** By what the variants of a card differ first: each option shows its image and leads to its page. */
function VariantOptions({ variants, count, onShow, onOpen }: VariantOptionsProps) {
  if (count < 2) return null;
  const [axis] = variantAxes(variants);
  const options = axis?.options ?? [];
  const shown = axis?.isColor ? swatchesOf(options) : textsOf(options);
  if (!axis || shown.length === 0) return <p className="card-options">{count} variants</p>;
  const others = options.filter((option) => !shown.includes(option));
  return (
    <ul
      className={axis.isColor ? "card-options" : "card-options texts"}
      aria-label="Variants"
      onPointerLeave={() => onShow(undefined)}
    >
      {shown.map(({ value, color, variants: [variant] }) => {
        if (!variant) return null;
        return (
          <li key={value}>
            <Link
              href={productPath(variant)}
              title={value}
              onClick={() => onOpen?.(variant._id)}
              onPointerEnter={() => onShow(variant)}
              onFocus={() => onShow(variant)}
              onBlur={() => onShow(undefined)}
            >
              {color !== undefined && <span className="swatch" style={{ background: color }} />}
              <span className={color === undefined ? undefined : "visually-hidden"}>{value || "other"}</span>
            </Link>
          </li>
        );
      })}
      {others.length > 0 && (
        <li className="muted" title={others.map(({ value }) => value || "other").join(", ")}>
          +{others.length}
        </li>
      )}
    </ul>
  );
}

/** The known colours, each once: two dots of one colour would tell nobody which is which. */
function swatchesOf(options: readonly VariantOption[]): readonly VariantOption[] {
  const colors = options.map(({ color }) => color);
  return options
    .filter(({ color }, index) => color !== undefined && colors.indexOf(color) === index)
    .slice(0, maxSwatches);
}

/** As many as have room. */
function textsOf(options: readonly VariantOption[]): readonly VariantOption[] {
  const values = options.map(({ value }) => value);
  const fit = values.findLastIndex((_, index) => lettersOf(values, index) <= maxLetters) + 1;
  return options.slice(0, fit);
}

/** How long the texts up to an index are, side by side. */
function lettersOf(values: readonly string[], index: number): number {
  return values.slice(0, index + 1).join("").length + 3 * index;
}

interface CardProps {
  href?: string;
  onOpen?: () => void;
  outside?: string;
  image: string | undefined;
  /** What stands on the image. */
  options?: ReactNode;
  name: string;
  brand: string | undefined;
  storeName: string;
  badge: string | undefined;
  isVerified?: boolean;
  rating: ReactNode;
  children: ReactNode;
}

function Card(props: CardProps) {
  const {
    href,
    onOpen,
    outside,
    image,
    options,
    name,
    brand,
    storeName,
    badge,
    isVerified,
    rating,
    children,
  } = props;
  return (
    <article className="card panel">
      <div className="card-image">
        <ProductImage src={image} />
        {badge && <span className="badge">{badge}</span>}
        {isVerified && <span className="tag card-tag">verified</span>}
        {options}
      </div>
      <div className="card-text">
        <h3 dir="auto">
          <CardLink href={href} onOpen={onOpen} outside={outside}>
            {name}
          </CardLink>
        </h3>
        <div className="card-line muted">
          <p className="card-seller ellipsis">
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
          {rating}
        </div>
        {children}
      </div>
    </article>
  );
}

/** Only http addresses become links: a feed could carry anything. */
function CardLink({
  href,
  onOpen,
  outside,
  children,
}: {
  href: string | undefined;
  onOpen: (() => void) | undefined;
  outside: string | undefined;
  children: ReactNode;
}) {
  if (href !== undefined) {
    return (
      <Link href={href} className="card-link" onClick={() => onOpen?.()}>
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
