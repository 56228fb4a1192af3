import { type Client, isProductSearchError } from "@product-search/client";
import { useState } from "react";
import { Link } from "../link.tsx";
import { Empty } from "../parts/empty.tsx";
import { Price, ProductGrid } from "../parts/product-card.tsx";
import { Dot } from "../parts/swatches.tsx";
import { priceText, type ShopProduct, shop, useRequest, useTitle } from "../shop.ts";

type Details = Awaited<ReturnType<Client["getProduct"]>>;

/** Without a product if the shop has none of that name. */
export type ProductResult = Partial<Details> & { id: string };

/** The product whose page this is. */
export function productIn(path: string): string | undefined {
  const [, id] = /^\/products\/([^/]+)$/.exec(path) ?? [];
  try {
    return id && decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

export async function findProduct(client: Client, id: string, signal?: AbortSignal): Promise<ProductResult> {
  try {
    return { id, ...(await client.getProduct(id, { ...(signal && { signal }) })) };
  } catch (error) {
    if (isProductSearchError(error) && error.status === 404) return { id };
    throw error;
  }
}

/** `given` is what the server has found. */
export function ProductPage({ id, given }: { id: string; given: ProductResult | undefined }) {
  const key = given ? undefined : id;
  const { result = given, error } = useRequest(key, (signal) => findProduct(shop.client, id, signal));
  if (error) return <Empty title="The product cannot be shown now" text={error.message} />;
  if (result === undefined) return <p className="waiting">Loading …</p>;
  const { product, variants = [] } = result;
  if (product === undefined)
    return <Empty title="This product does not exist" text="It may not be sold any more." />;
  return <ProductDetails product={product} variants={variants} />;
}

function ProductDetails({ product, variants }: Pick<Details, "product"> & { variants: readonly Variant[] }) {
  const { _id, name, brand, description, images, attributes = {}, categoryPath = [], url } = product;
  const [image, setImage] = useState(0);
  useTitle(`${name} · ${product.storeName}`);
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

type Variant = NonNullable<Details["variants"]>[number];

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
