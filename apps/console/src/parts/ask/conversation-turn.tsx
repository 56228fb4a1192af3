import type { DeepSearchResult } from "@product-search/client";
import { useLayoutEffect, useRef } from "react";
import { Link } from "wouter";
import { useCatalogMatches } from "../../service/catalog/use-catalog-matches.ts";
import { formatCount } from "../../service/money.ts";
import type { RequestSnippet } from "../../service/snippets.ts";
import { requestOf, type Turn } from "../../service/use-conversation.ts";
import { Chips } from "../chips.tsx";
import { DeveloperPanel } from "../developer-panel.tsx";
import { ErrorNotice } from "../notice.tsx";
import { AnswerText } from "./answer-text.tsx";
import { TopProducts, TopProductsSkeleton } from "./top-products.tsx";

interface ConversationTurnProps {
  turn: Turn;
  onAsk: (query: string) => void;
  onRetry: () => void;
}

/** A request, its answer in words as they are written, and the products beside it. */
export function ConversationTurn({ turn, onAsk, onRetry }: ConversationTurnProps) {
  const { query, text, products, result, error } = turn;
  const matches = useCatalogMatches(products);
  const article = useRef<HTMLElement>(null);
  // Before it is painted, so that a new turn is at the top at once.
  useLayoutEffect(() => {
    article.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <article className="turn" ref={article}>
      <h2 className="question">{query}</h2>
      <DeveloperPanel requests={requestsFor(turn)} />
      {error !== undefined ? (
        <ErrorNotice error={error} onRetry={onRetry} />
      ) : (
        <div className="turn-body">
          {/* The products come first and keep their room, so that the words can grow without moving anything. */}
          <div className="found">
            <p className="muted small-text">{result ? countText(result.productCount) : "Searching…"}</p>
            {products.length > 0 && <TopProducts products={products} matches={matches} />}
            {products.length === 0 && !result && <TopProductsSkeleton />}
            {products.length === 0 && result && <p className="nothing">No products</p>}
          </div>
          <div className="answer">
            {text === "" ? (
              <div className="skeleton" role="status" aria-label="Writing the answer">
                <div className="bar" />
                <div className="bar" />
                <div className="bar short" />
              </div>
            ) : (
              <AnswerText text={text} products={[...matches.values()]} isComplete={result !== undefined} />
            )}
            {result && <p className="understood">Interpreted as: {result.description}</p>}
            {result && result.suggestions.length > 0 && (
              <>
                <h3>{result.productCount === 0 ? "Try instead" : "Follow-up questions"}</h3>
                <Chips texts={result.suggestions} onChoose={onAsk} />
              </>
            )}
            {result && <Options result={result} onAsk={onAsk} />}
          </div>
        </div>
      )}
    </article>
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
function Options({ result, onAsk }: { result: DeepSearchResult; onAsk: (query: string) => void }) {
  const { relatedSearches, categories, filters } = result.otherOptions;
  return (
    <>
      {filters.length > 0 && (
        <>
          <h3>Filters</h3>
          <Chips texts={filters} onChoose={onAsk} />
        </>
      )}
      {relatedSearches.length + categories.length > 0 && (
        <details className="options">
          <summary>Related searches</summary>
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
      )}
    </>
  );
}

function catalogPath(search: Record<string, string>): string {
  return `/?${new URLSearchParams(search)}`;
}
