import type { ReactNode } from "react";
import { Link } from "../link.tsx";
import { priceText, type ShopProduct } from "../shop.ts";
import { Swatches } from "./swatches.tsx";

interface ProductCardProps {
  product: ShopProduct;
  /** The name, with the words of the query marked. */
  name?: ReactNode;
  /** Its picture is loaded before all others. */
  isFirst?: boolean;
  onFollow?: () => void;
}

export function ProductCard({ product, name = product.name, isFirst = false, onFollow }: ProductCardProps) {
  const { images, brand, averageRating, availability, variantCount = 1 } = product;
  return (
    <article className="card">
      <Link href={`/products/${encodeURIComponent(product._id)}`} {...(onFollow && { onFollow })}>
        <div className="picture">
          {images[0] !== undefined && (
            <img
              src={images[0]}
              alt=""
              width="400"
              height="400"
              {...(isFirst ? { fetchPriority: "high" } : { loading: "lazy", decoding: "async" })}
            />
          )}
          <SaleBadge product={product} />
        </div>
        {brand !== undefined && <p className="brand">{brand}</p>}
        <h3>{name}</h3>
      </Link>
      <Price product={product} />
      {averageRating !== undefined && <p className="rating">★ {averageRating.toFixed(1)}</p>}
      {variantCount > 1 && <Swatches product={product} count={variantCount} />}
      {availability === "out_of_stock" && <p className="stock">Out of stock</p>}
    </article>
  );
}

/** How much cheaper than the shop's former price. */
function SaleBadge({ product: { price, originalPrice } }: { product: ShopProduct }) {
  if (originalPrice === undefined || originalPrice <= price) return null;
  return <span className="sale">−{Math.round((1 - price / originalPrice) * 100)} %</span>;
}

export function Price({ product }: { product: ShopProduct }) {
  const { price, originalPrice, variantPrices } = product;
  const isRange = variantPrices !== undefined && variantPrices.max > variantPrices.min;
  return (
    <p className="price">
      {isRange ? `from ${priceText(variantPrices.min)}` : priceText(price)}
      {originalPrice !== undefined && originalPrice > price && (
        <>
          {" "}
          <s>
            <span className="hidden">before </span>
            {priceText(originalPrice)}
          </s>
        </>
      )}
    </p>
  );
}

export function ProductGrid({ products }: { products: readonly ShopProduct[] }) {
  return (
    <ul className="grid">
      {products.map((product) => (
        <li key={product._id}>
          <ProductCard product={product} />
        </li>
      ))}
    </ul>
  );
}
