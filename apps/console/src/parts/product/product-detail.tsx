import type { AnyProduct } from "@product-search/client";
import type { ReactNode } from "react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { formatDay } from "../../service/days.ts";
import { formatDiscount, formatPrice } from "../../service/money.ts";
import { lowestBefore, type PricePoint, toPricePoints } from "../../service/product/price-history.ts";
import type { FoundProduct } from "../../service/product/use-product.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { useSigningKeys } from "../../service/webhooks/signing-keys.tsx";
import { ErrorNotice } from "../notice.tsx";
import { tokenBoxId } from "../shell/token-box-id.ts";
import type { WebhookType } from "../webhooks/webhook-type-choice.tsx";
import { WebhookTypeChoice } from "../webhooks/webhook-type-choice.tsx";
import { PriceFigure } from "./price-figure.tsx";
import { ProductImage } from "./product-image.tsx";
import { Rating } from "./rating.tsx";

/** The service's limit of a page. */
const pageSize = 1000;

const maxPages = 10;

const stockTexts = {
  in_stock: "In stock",
  out_of_stock: "Out of stock",
  preorder: "Available for preorder",
  backorder: "On backorder",
} as const;

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
      {formatDiscount(percent)} since {since}: the lowest price of the 30 days before was{" "}
      {formatPrice(lowest)}
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

function ProductFacts({ product, availability }: FoundProduct) {
  const { averageRating } = product;
  const reviews = "reviewCount" in product ? product.reviewCount : undefined;
  const score = "serviceScore" in product ? product.serviceScore : undefined;
  return (
    <>
      <dl className="facts">
        {availability && (
          <Fact name="Stock">
            <span
              className={availability === "out_of_stock" ? "status-dot off" : "status-dot on"}
              aria-hidden="true"
            />{" "}
            {stockTexts[availability]}
          </Fact>
        )}
        {averageRating !== undefined && (
          <Fact name="Rating">
            <Rating value={averageRating} {...(reviews !== undefined && { count: reviews })} />
          </Fact>
        )}
        {score !== undefined && <Fact name="Quality score">{score} out of 100</Fact>}
        <Fact name="Identifier">
          <code>{product._id}</code>
        </Fact>
      </dl>
      {"description" in product && product.description !== "" && <p dir="auto">{product.description}</p>}
    </>
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
    return entries;
  });
  const own = "priceHistory" in product ? product.priceHistory : undefined;
  const history = request.response ?? own;
  return useMemo(() => toPricePoints(history ?? []), [history]);
}
