import type { Product, TopProduct } from "@product-search/client";
import { Link } from "wouter";
import { matchKey } from "../../service/catalog/use-catalog-matches.ts";
import { formatPrice } from "../../service/money.ts";
import { productPath } from "../../service/product/product-path.ts";
import { ProductImage } from "../product/product-image.tsx";
import { Rating } from "../product/rating.tsx";

interface TopProductsProps {
  products: readonly TopProduct[];
  /** The catalog's entries of these products, as far as they were found. */
  matches: ReadonlyMap<string, Product>;
}

/** The products of a response, best first, each a way to its page where the catalog has one. */
export function TopProducts({ products, matches }: TopProductsProps) {
  return (
    <ol className="top-products">
      {products.map((product, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rank is what tells them apart.
        <TopProductRow key={index} product={product} match={matches.get(matchKey(product))} />
      ))}
    </ol>
  );
}

function TopProductRow({ product, match }: { product: TopProduct; match: Product | undefined }) {
  const { name, brand, storeName, price, averageRating } = product;
  return (
    <li>
      <ProductImage src={match?.images[0]} />
      <div>
        <strong dir="auto">{match ? <Link href={productPath(match)}>{name}</Link> : name}</strong>
        <span className="muted small-text">{[brand, storeName].filter(Boolean).join(" · ")}</span>
        <span className="price-line">
          <span>{formatPrice(price)}</span>
          {averageRating !== undefined && <Rating value={averageRating} />}
        </span>
      </div>
    </li>
  );
}

/** The room that they will take. */
export function TopProductsSkeleton() {
  return (
    <ol className="top-products skeleton" aria-hidden="true">
      {[1, 2, 3].map((row) => (
        <li key={row}>
          <div className="product-image" />
          <div>
            <div className="bar" />
            <div className="bar short" />
          </div>
        </li>
      ))}
    </ol>
  );
}
