import type { DeepSearchResult, TopProduct } from "@product-search/client";
import { Fragment, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { formatCount, formatPrice } from "../../service/format.ts";
import { productPath } from "../../service/product/use-product.ts";
import type { RequestSnippet } from "../../service/snippets.ts";
import { requestOf, type Turn } from "../../service/use-conversation.ts";
import { DeveloperPanel } from "../developer-panel.tsx";
import { Chips } from "../elements.tsx";
import { ErrorNotice } from "../notice.tsx";
import { ProductImage, Rating } from "../product/product-grid.tsx";

interface ConversationTurnProps {
  turn: Turn;
  isNewest: boolean;
  onAsk: (query: string) => void;
  onRetry: () => void;
}

/** A request, its answer in words as they are written, and the products beside it. */
export function ConversationTurn({ turn, isNewest, onAsk, onRetry }: ConversationTurnProps) {
  const { query, text, products, result, error } = turn;
  const article = useRef<HTMLElement>(null);
  // Before it is painted, so that a new turn is at the top at once.
  useLayoutEffect(() => {
    article.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <article className="turn" data-newest={isNewest || undefined} ref={article}>
      <h2 className="question">{query}</h2>
      {error !== undefined ? (
        <ErrorNotice error={error} onRetry={onRetry} />
      ) : (
        // Where they stand below each other, the products wait for the words: these can grow without moving anything.
        <div className="turn-body" data-written={result !== undefined || undefined}>
          <div className="answer">
            {text === "" ? (
              <div className="skeleton" role="status" aria-label="Writing the answer">
                <div className="bar" />
                <div className="bar" />
                <div className="bar short" />
              </div>
            ) : (
              <AnswerText text={text} products={products} isComplete={result !== undefined} />
            )}
          </div>
          <div className="found">
            {products.length > 0 && <TopProducts products={products} />}
            {products.length === 0 && !result && <TopProductsSkeleton />}
            {products.length === 0 && result && <p className="nothing">No products</p>}
          </div>
          {result && <FollowUps result={result} onAsk={onAsk} />}
        </div>
      )}
      {(result || error !== undefined) && (
        <div className="turn-foot">
          {result && <Options result={result} onAsk={onAsk} />}
          <DeveloperPanel requests={requestsFor(turn)} />
        </div>
      )}
    </article>
  );
}

interface FollowUpsProps {
  result: DeepSearchResult;
  onAsk: (query: string) => void;
}

/** What was understood, and ways to go on. */
function FollowUps({ result: { description, productCount, suggestions }, onAsk }: FollowUpsProps) {
  return (
    <div className="follow-ups">
      <p className="muted small-text">
        {countText(productCount)}. <span className="understood">Interpreted as: {description}</span>
      </p>
      {suggestions.length > 0 && (
        <>
          <h3 className="visually-hidden">{productCount === 0 ? "Try instead" : "Follow-up questions"}</h3>
          <Chips texts={suggestions} onChoose={onAsk} />
        </>
      )}
    </div>
  );
}

function countText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "product matches" : "products match"}`;
}

function requestsFor(turn: Turn): [RequestSnippet, ...RequestSnippet[]] {
  const body = requestOf(turn);
  const request = { method: "POST", path: "/deep-search", body, needsToken: true } as const;
  return [
    {
      ...request,
      title: "Streamed",
      accept: "text/event-stream",
      call: `for await (const event of client.deepSearchStream(${JSON.stringify(body)})) console.log(event);`,
    },
    { ...request, title: "As one response", call: `deepSearch(${JSON.stringify(body)})` },
  ];
}

/** A filter goes on from what was asked; a category leads to the catalog; a related search begins anew. */
function Options({ result, onAsk }: FollowUpsProps) {
  const { relatedSearches, categories, filters } = result.otherOptions;
  if (filters.length + relatedSearches.length + categories.length === 0) return null;
  return (
    <details className="options">
      <summary>More options</summary>
      {filters.length > 0 && (
        <>
          <h3>Narrow it down</h3>
          <Chips texts={filters} onChoose={onAsk} />
        </>
      )}
      {relatedSearches.length + categories.length > 0 && <h3>Search the catalog</h3>}
      <ul className="chips">
        {relatedSearches.map((text) => (
          <li key={text}>
            <Link className="chip" href={catalogPath({ q: text })}>
              {text}
            </Link>
          </li>
        ))}
        {categories.map((name) => (
          <li key={name}>
            <Link className="chip" href={catalogPath({ categories: name })}>
              All {name}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

function catalogPath(search: Record<string, string>): string {
  return `/?${new URLSearchParams(search)}`;
}

interface AnswerTextProps {
  text: string;
  /** The products that the text may name. */
  products: readonly TopProduct[];
  isComplete: boolean;
}

/** The written answer. Where it names a product of the catalog, the name leads to it; links have the width of the words. */
function AnswerText({ text, products, isComplete }: AnswerTextProps) {
  const paths = namePaths(products);
  const parts = splitAtNames(text, [...paths.keys()]);
  return (
    <p className="answer-text" aria-live="polite" aria-busy={!isComplete}>
      {parts.map(({ offset, text: part }) => {
        const path = paths.get(part);
        // The key is the place in the text: a part that becomes a link moves no other part.
        return path === undefined ? (
          <Fragment key={`text ${offset}`}>{part}</Fragment>
        ) : (
          <Link key={`link ${offset}`} href={path}>
            {part}
          </Link>
        );
      })}
    </p>
  );
}

/** Whole names, and what comes before their comma where only one product has it. */
function namePaths(products: readonly TopProduct[]): Map<string, string> {
  const shortNames = Map.groupBy(products, ({ name }) => name.split(",")[0] ?? name);
  const short = [...shortNames].flatMap(([name, [only, another]]): [string, string][] =>
    only && !another && name.includes(" ") ? [[name, productPath(only)]] : [],
  );
  return new Map([...short, ...products.map((product) => [product.name, productPath(product)] as const)]);
}

/** The text in parts; every second one is a name. The longest name wins. */
function splitAtNames(text: string, names: readonly string[]): { offset: number; text: string }[] {
  if (names.length === 0) return [{ offset: 0, text }];
  const longestFirst = names.toSorted((one, other) => other.length - one.length);
  const pattern = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  let offset = 0;
  return text.split(new RegExp(`(${pattern})`, "u")).map((part) => {
    offset += part.length;
    return { offset: offset - part.length, text: part };
  });
}

interface TopProductsProps {
  products: readonly TopProduct[];
}

const maxShown = 3;

/** The products of a response, best first, each a way to its page: three, and all when asked for. */
function TopProducts({ products }: TopProductsProps) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <ol className="top-products">
        {products.slice(0, isWhole ? products.length : maxShown).map((product) => (
          <TopProductRow key={product._id} product={product} />
        ))}
      </ol>
      {products.length > maxShown && (
        <button
          type="button"
          className="text-button bare"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? `Show ${maxShown}` : `Show all ${products.length}`}
        </button>
      )}
    </>
  );
}

function TopProductRow({ product }: { product: TopProduct }) {
  const { name, image, storeName, price, averageRating } = product;
  return (
    <li>
      <ProductImage src={image} />
      <div>
        <strong dir="auto">
          <Link href={productPath(product)}>{name}</Link>
        </strong>
        <span className="price-line">
          <span>{formatPrice(price)}</span>
          {averageRating !== undefined && <Rating value={averageRating} />}
          <span className="muted small-text">{storeName}</span>
        </span>
      </div>
    </li>
  );
}

/** The room that they will take. */
function TopProductsSkeleton() {
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
