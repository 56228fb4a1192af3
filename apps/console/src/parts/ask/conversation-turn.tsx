import type { DeepSearchResult } from "@product-search/client";
import { formatCount } from "../../service/money.ts";
import type { RequestSnippet } from "../../service/snippets.ts";
import { requestOf, type Turn } from "../../service/use-conversation.ts";
import { Chips } from "../chips.tsx";
import { DeveloperPanel } from "../developer-panel.tsx";
import { ErrorNotice } from "../notice.tsx";
import { TopProducts, TopProductsSkeleton } from "./top-products.tsx";

interface ConversationTurnProps {
  turn: Turn;
  onAsk: (query: string) => void;
  onRetry: () => void;
}

/** A request, its answer in words as they are written, and the products beside it. */
export function ConversationTurn({ turn, onAsk, onRetry }: ConversationTurnProps) {
  const { query, text, products, result, error } = turn;
  return (
    <article className="turn">
      <h2 className="question">{query}</h2>
      <DeveloperPanel requests={requestsFor(turn)} />
      {error !== undefined ? (
        <ErrorNotice error={error} onRetry={onRetry} />
      ) : (
        <div className="turn-body">
          {/* The products come first and keep their room, so that the words can grow without moving anything. */}
          <div className="found">
            <p className="muted small-text">{result ? countText(result.productCount) : "Searching…"}</p>
            {products.length > 0 && <TopProducts products={products} />}
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
              <p className="answer-text" aria-live="polite" aria-busy={!result}>
                {text}
              </p>
            )}
            {result && <p className="understood">Interpreted as: {result.description}</p>}
            {result && result.suggestions.length > 0 && (
              <>
                <h3>Follow-up questions</h3>
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

function Options({ result, onAsk }: { result: DeepSearchResult; onAsk: (query: string) => void }) {
  const { relatedSearches, categories, filters } = result.otherOptions;
  const texts = [...new Set([...relatedSearches, ...categories])];
  if (texts.length === 0 && filters.length === 0) return null;
  return (
    <details className="options">
      <summary>Related searches</summary>
      <Chips texts={texts} onChoose={onAsk} />
      {filters.length > 0 && <p className="muted small-text">Filters to try: {filters.join(", ")}</p>}
    </details>
  );
}
