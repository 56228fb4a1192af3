import type { DeepSearchResult } from "@product-search/client";
import { formatCount } from "../service/money.ts";
import type { RequestSnippet } from "../service/snippets.ts";
import type { Turn } from "../service/use-conversation.ts";
import { Chips } from "./chips.tsx";
import { DeveloperPanel } from "./developer-panel.tsx";
import { ErrorNotice } from "./notice.tsx";
import { TopProducts, TopProductsSkeleton } from "./top-products.tsx";

interface ConversationTurnProps {
  turn: Turn;
  onAsk: (query: string) => void;
  onRetry: () => void;
}

/** A request, its answer in words as they are written, and the products beside it. */
export function ConversationTurn({ turn, onAsk, onRetry }: ConversationTurnProps) {
  const { query, text, products, result, error } = turn;
  const hasAside = result === undefined || products.length > 0;
  return (
    <article className="turn">
      <h2 className="question">{query}</h2>
      {error !== undefined ? (
        <ErrorNotice error={error} onRetry={onRetry} />
      ) : (
        <div className={hasAside ? "turn-body" : undefined}>
          <div className="answer">
            {text === "" ? (
              <div className="skeleton" role="status" aria-label="Writing the answer">
                <div className="bar" />
                <div className="bar" />
                <div className="bar short" />
              </div>
            ) : (
              <p className="answer-text" aria-live="polite" aria-busy={!result}>
                {text}
              </p>
            )}
            {result && <p className="understood">Understood as: {result.description}</p>}
            {result && result.suggestions.length > 0 && (
              <>
                <h3>Ask next</h3>
                <Chips texts={result.suggestions} onChoose={onAsk} />
              </>
            )}
            {result && <Options result={result} onAsk={onAsk} />}
          </div>
          {hasAside && (
            <div>
              <p className="muted small-text">{result ? countText(result.productCount) : "Looking…"}</p>
              {products.length === 0 ? <TopProductsSkeleton /> : <TopProducts products={products} />}
            </div>
          )}
        </div>
      )}
      <DeveloperPanel requests={requestsFor(query)} />
    </article>
  );
}

function countText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "product matches" : "products match"}`;
}

function requestsFor(query: string): [RequestSnippet, ...RequestSnippet[]] {
  const body = { query };
  const request = { method: "POST", path: "/deep-search", body, needsToken: true } as const;
  return [
    {
      ...request,
      title: "As it is written",
      accept: "text/event-stream",
      call: `for await (const event of client.deepSearchStream(${JSON.stringify(body)})) console.log(event);`,
    },
    { ...request, title: "All at once", call: `deepSearch(${JSON.stringify(body)})` },
  ];
}

function Options({ result, onAsk }: { result: DeepSearchResult; onAsk: (query: string) => void }) {
  const { relatedSearches, categories, filters } = result.otherOptions;
  const texts = [...new Set([...relatedSearches, ...categories])];
  if (texts.length === 0 && filters.length === 0) return null;
  return (
    <details className="options">
      <summary>More ways to look</summary>
      <Chips texts={texts} onChoose={onAsk} />
      {filters.length > 0 && <p className="muted small-text">Or narrow it: {filters.join(", ")}</p>}
    </details>
  );
}
