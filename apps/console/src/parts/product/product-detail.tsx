import type { AnyProduct, ProductVariant } from "@product-search/client";
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { formatDay, formatDiscount, formatPrice } from "../../service/format.ts";
import { lowestBefore, type PricePoint, toPricePoints } from "../../service/product/price-history.ts";
import { type FoundProduct, productPath } from "../../service/product/use-product.ts";
import {
  areDistinct,
  closestVariant,
  hasExactVariant,
  variantAxes,
  variantValue,
} from "../../service/product/variants.ts";
import { attributeTitle } from "../../service/search/catalog-address.ts";
import { toCategoryPath } from "../../service/search/category-tree.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { useSigningKeys } from "../../service/webhooks/signing-keys.tsx";
import { ErrorNotice } from "../notice.tsx";
import { tokenBoxId } from "../shell/token-box-id.ts";
import { type WebhookType, WebhookTypeChoice } from "../webhooks/webhook-type-choice.tsx";
import { PriceFigure } from "./price-figure.tsx";
import { FormerPrice } from "./product-card.tsx";
import { ProductImage, Rating } from "./product-grid.tsx";

/** The service's limit of a page. */
const pageSize = 1000;

const maxPages = 10;

const stockTexts = {
  in_stock: "In stock",
  out_of_stock: "Out of stock",
  preorder: "Available for preorder",
  backorder: "On backorder",
} as const;

/** All that the service says of one product. Another variant takes its place without a new page. */
export function ProductDetail({ product, availability, variants }: FoundProduct) {
  const { _id, name, brand, storeName, images, price, originalPrice, categoryPath } = product;
  const isVerified = "isVerified" in product && product.isVerified;
  const points = usePriceHistory(product);
  const { isEngineer } = useService();
  return (
    <article>
      <div className="product-detail">
        <Gallery key={_id} images={images} name={name} />
        <div className="stack">
          {categoryPath && <Breadcrumb names={categoryPath} />}
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
            {originalPrice !== undefined && originalPrice > price && <FormerPrice price={originalPrice} />}
            <Discount product={product} points={points} />
            {isVerified && <span className="tag">verified</span>}
          </p>
          {variants && <VariantChoice product={product} variants={variants} />}
          <Stock availability={availability} />
          <ShopLink url={product.url} storeName={storeName} />
          <Description key={`text ${_id}`} text={product.description ?? ""} />
          <ProductFacts product={product} />
          {isEngineer && <AlertForm key={`alert ${_id}`} productId={_id} />}
        </div>
      </div>
      <PriceFigure key={`prices ${_id}`} points={points} />
    </article>
  );
}

/** The way from the top of the categories: each level leads to its products. */
function Breadcrumb({ names }: { names: readonly string[] }) {
  return (
    <nav aria-label="Category" className="breadcrumb small-text">
      <ol>
        {names.map((name, index) => {
          const path = toCategoryPath(names.slice(0, index + 1));
          return (
            <li key={path}>
              <Link href={`/?${new URLSearchParams({ categories: path })}`} dir="auto">
                {name}
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function Stock({ availability }: Pick<FoundProduct, "availability">) {
  if (!availability) return null;
  return (
    <p className="stock line">
      <span
        className={availability === "out_of_stock" ? "status-dot off" : "status-dot on"}
        aria-hidden="true"
      />
      {stockTexts[availability]}
    </p>
  );
}

const longText = 600;

/** Of a long text, its beginning. */
function Description({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= longText);
  if (text.trim() === "") return null;
  return (
    <div>
      <p dir="auto" className="description">
        {isWhole ? text : `${text.slice(0, text.lastIndexOf(" ", longText))} …`}
      </p>
      {!isWhole && (
        <button type="button" className="link bare" onClick={() => setWhole(true)}>
          Show the whole description
        </button>
      )}
    </div>
  );
}

/**
 * The discount as the law has it: against the lowest price of the 30 days before. Where the shop states a former price and
 * none is counted, it says why.
 */
function Discount({ product, points }: { product: AnyProduct; points: readonly PricePoint[] }) {
  const lowest = lowestBefore(points);
  const present = points.at(-1);
  if (!present) return null;
  const { price, originalPrice = price } = product;
  const discountVal = "discountVal" in product ? product.discountVal : undefined;
  const since = formatDay(present.atMs);
  if (discountVal !== undefined && Math.round(discountVal) > 0 && lowest !== undefined) {
    return (
      <span className="tag">
        {formatDiscount(discountVal)} since {since}: the lowest price of the 30 days before was{" "}
        {formatPrice(lowest)}
      </span>
    );
  }
  if (originalPrice > price && discountVal === 0) {
    return (
      <span className="muted small-text">
        Not counted as a discount:{" "}
        {lowest === undefined
          ? "no earlier price has been recorded here."
          : `the lowest price of the 30 days before ${since} was ${formatPrice(lowest)}.`}
      </span>
    );
  }
  if (lowest === undefined) return null;
  return (
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

/** The images of a product: a large one, and small ones to choose it with. */
function Gallery({ images, name }: { images: readonly string[]; name: string }) {
  const [chosen, setChosen] = useState(0);
  return (
    <div className="gallery">
      <ProductImage key={images[chosen]} src={images[chosen]} alt={name} />
      {images.length > 1 && (
        <ul aria-label="Images">
          {images.map((image, index) => (
            <li key={image}>
              <button
                type="button"
                aria-label={`Image ${index + 1} of ${images.length}`}
                aria-current={index === chosen}
                onClick={() => setChosen(index)}
              >
                <ProductImage src={image} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ProductFacts({ product }: { product: AnyProduct }) {
  const { averageRating, reviewCount, attributes = {}, gtin, mpn } = product;
  const score = "serviceScore" in product ? product.serviceScore : undefined;
  return (
    <dl className="facts">
      {Object.entries(attributes).map(([name, values]) => (
        <Fact key={name} name={attributeTitle(name)}>
          <span dir="auto">{values.join(", ")}</span>
        </Fact>
      ))}
      {averageRating !== undefined && (
        <Fact name="Rating">
          <Rating value={averageRating} {...(reviewCount !== undefined && { count: reviewCount })} />
        </Fact>
      )}
      {score !== undefined && <Fact name="Quality score">{score} out of 100</Fact>}
      {gtin !== undefined && <Fact name="GTIN">{gtin}</Fact>}
      {mpn !== undefined && <Fact name="Manufacturer’s number">{mpn}</Fact>}
      <Fact name="Identifier">
        <code>{product._id}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** All prices of a product. Until they have come, and without a token, those that the product itself carries. */
function usePriceHistory(product: AnyProduct): readonly PricePoint[] {
  const { client, token } = useService();
  const request = useRequest(token && `${token} ${product._id}`, async (signal) => {
    const entries = [];
    let pages = 0;
    for await (const page of client.priceHistoryPages(product._id, { limit: pageSize }, { signal })) {
      entries.push(...page.priceHistory);
      pages += 1;
      if (pages === maxPages) break;
    }
    return { id: product._id, entries };
  });
  const own = "priceHistory" in product ? product.priceHistory : undefined;
  // The response before is that of another variant.
  const whole = request.response?.id === product._id ? request.response.entries : undefined;
  const history = whole ?? own;
  return useMemo(() => toPricePoints(history ?? []), [history]);
}

/** A webhook for one product: all that is left to say is where to send it. */
function AlertForm({ productId }: { productId: string }) {
  const { client, token } = useService();
  const { showKey } = useSigningKeys();
  const id = useId();
  const webhooks = useRequest(token || undefined, (signal) => client.listWebhooks({ signal }));
  const latest = webhooks.response?.data[0]?.webhookUrl ?? "";
  const [target, setTarget] = useState("");
  const [type, setType] = useState<WebhookType>("price.alert");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isDone, setDone] = useState(false);
  // The target of the newest webhook is the likeliest one. It may arrive while somebody is already in the field: what
  // they type must not be appended to it.
  const wasEntered = useRef(false);
  useEffect(() => {
    if (!wasEntered.current) setTarget(latest);
  }, [latest]);

  async function create() {
    setBusy(true);
    setError(undefined);
    setDone(false);
    try {
      const { data } = await client.createWebhook(
        { webhookUrl: target.trim(), webhookType: type, productIds: [productId] },
        { idempotencyKey: crypto.randomUUID() },
      );
      setDone(true);
      showKey(data);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <section className="panel alert-form" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Get alerts for this product</h2>
      {token === "" ? (
        <p>
          Alerts need a token.{" "}
          <button type="button" className="small" popoverTarget={tokenBoxId}>
            Set a token
          </button>
        </p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void create();
          }}
        >
          <WebhookTypeChoice type={type} onChange={setType} />
          <label htmlFor={`${id}-target`}>Send a webhook to</label>
          <div className="row">
            <input
              id={`${id}-target`}
              type="url"
              required
              placeholder="https://example.com/hooks"
              value={target}
              onFocus={() => {
                wasEntered.current = true;
              }}
              onChange={(event) => setTarget(event.target.value)}
            />
            <button type="submit" className="primary" disabled={busy}>
              {busy ? "Creating…" : "Alert me"}
            </button>
          </div>
        </form>
      )}
      <p role="status" className="small-text">
        {isDone && (
          <>
            The webhook was created. <Link href="/webhooks">See its deliveries</Link>
          </>
        )}
      </p>
      {error !== undefined && <ErrorNotice error={error} onRetry={create} />}
    </section>
  );
}

interface VariantChoiceProps {
  product: AnyProduct;
  /** All of the group, the product among them. */
  variants: readonly ProductVariant[];
}

/** The variants by what they differ in, or as a list where that does not tell them apart. */
function VariantChoice({ product, variants }: VariantChoiceProps) {
  const [, navigate] = useLocation();
  // What was chosen is shown as chosen at once, while its product is on its way.
  const [chosenId, setChosenId] = useState(product._id);
  useEffect(() => setChosenId(product._id), [product._id]);
  const present = variants.find(({ _id }) => _id === chosenId);
  if (!present || variants.length < 2) return null;
  const source = "source" in product ? { source: product.source } : {};
  // Trying variants is one visit of a page: Back leads to where one came from.
  const choose = ({ _id, slug }: ProductVariant) => {
    setChosenId(_id);
    navigate(productPath({ _id, slug, ...source }), { replace: true });
  };
  const axes = variantAxes(variants);
  if (!areDistinct(variants, axes))
    return <VariantList variants={variants} present={present} onChoose={choose} />;
  const isSinglePriced = new Set(variants.map(({ price }) => price)).size === 1;
  return axes.map((axis) => {
    const { name } = axis;
    const options = axis.options.map((option) => {
      const variant = closestVariant(option, present, axes) ?? present;
      return {
        key: option.value,
        text: option.value || "None",
        color: option.color,
        price: axes.length === 1 && !isSinglePriced ? variant.price : undefined,
        isChosen: option.variants.includes(present),
        isMissing: !hasExactVariant(option, present, axes, name),
        choose: () => choose(variant),
      };
    });
    return (
      <Options
        key={name}
        title={attributeTitle(name)}
        value={variantValue(present, name)}
        options={options}
      />
    );
  });
}

interface VariantListProps {
  variants: readonly ProductVariant[];
  present: ProductVariant;
  onChoose: (variant: ProductVariant) => void;
}

function VariantList({ variants, present, onChoose }: VariantListProps) {
  const options = variants.map((variant) => ({
    key: variant._id,
    text: Object.values(variant.attributes).flat().join(", ") || variant.slug.replaceAll("-", " "),
    color: undefined,
    price: variant.price,
    isChosen: variant === present,
    isMissing: variant.availability === "out_of_stock",
    choose: () => onChoose(variant),
  }));
  return <Options title="Variants" value={String(variants.length)} options={options} />;
}

interface Option {
  key: string;
  text: string;
  color: string | undefined;
  price: number | undefined;
  isChosen: boolean;
  /** Out of stock, or not with the other values that are chosen: one of those changes too. */
  isMissing: boolean;
  choose: () => void;
}

function Options({ title, value, options }: { title: string; value: string; options: readonly Option[] }) {
  const group = useId();
  return (
    <fieldset className="segmented variants">
      <legend dir="auto">
        <span className="muted">{title}:</span> {value || "None"}
      </legend>
      {options.map(({ key, text, color, price, isChosen, isMissing, choose }) => (
        <label key={key} className={isMissing && !isChosen ? "missing" : undefined}>
          <input type="radio" name={group} checked={isChosen} onChange={choose} />
          <span dir="auto">
            {color !== undefined && <i className="swatch" style={{ background: color }} />}
            {text}
            {price !== undefined && <small className="muted">{formatPrice(price)}</small>}
            {isMissing && <span className="visually-hidden"> (not available like this)</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
