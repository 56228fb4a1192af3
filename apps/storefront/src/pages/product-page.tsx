import { useState } from "react";
import { Link } from "../link.tsx";
import { Price, ProductGrid } from "../parts/product-card.tsx";
import { Dot } from "../parts/swatches.tsx";
import { priceText, type ShopProduct, shop, useRequest } from "../shop.ts";

export function ProductPage({ id }: { id: string }) {
  const { result, error } = useRequest(id, (signal) => shop.client.getProduct(id, { signal }));
  if (error)
    return (
      <section className="empty" role="alert">
        <h1>This product is not here</h1>
        <p>
          {error.message} <Link href="">Search all products</Link>
        </p>
      </section>
    );
  if (result === undefined) return <p className="waiting">Loading …</p>;
  return <ProductDetails product={result.product} />;
}

type Details = Awaited<ReturnType<typeof shop.client.getProduct>>["product"];

function ProductDetails({ product }: { product: Details }) {
  const { _id, name, brand, description, images, attributes = {}, categoryPath = [], url } = product;
  const [image, setImage] = useState(0);
  const variants = "variants" in product ? (product.variants ?? []) : [];
  const facts = Object.entries(attributes);
  return (
    <>
      <p className="path">
        <Link href="">All products</Link>
        {categoryPath.map((level) => (
          <span key={level}> › {level}</span>
        ))}
      </p>
      <article className="details">
        <div className="pictures">
          {images[image] !== undefined && <img src={images[image]} alt={name} width="640" height="640" />}
          {images.length > 1 && (
            <p>
              {images.slice(0, 8).map((address, place) => (
                <button
                  key={address}
                  type="button"
                  aria-label={`Picture ${place + 1}`}
                  aria-pressed={place === image}
                  onClick={() => setImage(place)}
                >
                  <img src={address} alt="" width="64" height="64" loading="lazy" />
                </button>
              ))}
            </p>
          )}
        </div>
        <div>
          {brand !== undefined && <p className="brand">{brand}</p>}
          <h1>{name}</h1>
          <Price product={product as ShopProduct} />
          <Variants variants={variants} shown={_id} />
          <p>{description}</p>
          {facts.length > 0 && (
            <dl>
              {facts.map(([title, values]) => (
                <div key={title}>
                  <dt>{title}</dt>
                  <dd>{values.join(", ")}</dd>
                </div>
              ))}
            </dl>
          )}
          <p>
            <a className="buy" href={url}>
              To the shop
            </a>
          </p>
        </div>
      </article>
      <Related id={_id} kind="boughtTogether" />
      <Related id={_id} kind="alike" />
    </>
  );
}

type Variant = NonNullable<ShopProduct["variants"]>[number];

function Variants({ variants, shown }: { variants: readonly Variant[]; shown: string }) {
  if (variants.length < 2) return null;
  return (
    <ul className="variants" aria-label="Variants">
      {variants.map(({ _id, attributes = {}, price, availability }) => {
        const colour = attributes.color?.[0];
        const label = Object.values(attributes).flat().join(", ");
        return (
          <li key={_id}>
            <Link href={`/products/${encodeURIComponent(_id)}`} isCurrent={_id === shown}>
              {colour !== undefined && <Dot colour={colour} />}
              {label} <small>{availability === "out_of_stock" ? "out of stock" : priceText(price)}</small>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

const headings = {
  alike: "Similar products",
  boughtTogether: "Bought together",
  sameCategory: "More of this kind",
};

/** What the service shows instead of products that were bought together is in the other list. */
function Related({ id, kind }: { id: string; kind: "alike" | "boughtTogether" }) {
  const { result } = useRequest(id, (signal) =>
    shop.client.relatedProducts(id, { kind, count: 6 }, { signal }),
  );
  if (result === undefined || result.Products.length === 0) return null;
  if (kind === "boughtTogether" && result.kind !== kind) return null;
  return (
    <section>
      <h2>{headings[result.kind]}</h2>
      <ProductGrid products={result.Products} />
    </section>
  );
}
