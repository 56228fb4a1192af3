import type { DeepSearchResult } from "@product-search/client";
import { useEffect, useRef, useState } from "react";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { Rating } from "../parts/rating.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { formatCount, formatPrice } from "../service/money.ts";
import { useService } from "../service/service-context.tsx";

interface Turn {
  id: number;
  query: string;
  text: string;
  products: DeepSearchResult["topProducts"];
  result?: DeepSearchResult;
  error?: unknown;
}

const starters = [
  "a gift for a runner under 80",
  "the best rated desk lamp",
  "a leather bag, not black",
  "cheap mugs",
];

/** Deep search as a conversation: words as they are written, the products beside them. */
export function DeepSearchScreen() {
  const { client } = useService();
  const [draft, setDraft] = useState("");
  const [turns, setTurns] = useState<Turn[]>([]);
  const running = useRef<AbortController | undefined>(undefined);
  const lastId = useRef(0);
  useEffect(() => () => running.current?.abort(), []);

  async function ask(query: string) {
    if (query.trim() === "") return;
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    lastId.current += 1;
    const id = lastId.current;
    setDraft("");
    setTurns((previous) => [...previous, { id, query, text: "", products: [] }]);
    const change = (how: (turn: Turn) => Turn) =>
      setTurns((previous) => previous.map((turn) => (turn.id === id ? how(turn) : turn)));
    try {
      for await (const event of client.deepSearchStream({ query }, { signal: abort.signal })) {
        if (event.type === "products") change((turn) => ({ ...turn, products: event.topProducts }));
        if (event.type === "delta") change((turn) => ({ ...turn, text: turn.text + event.text }));
        if (event.type === "restart") change((turn) => ({ ...turn, text: "" }));
        if (event.type === "done") {
          const { data } = event;
          change((turn) => ({ ...turn, text: data.aiResponse, products: data.topProducts, result: data }));
        }
      }
    } catch (error) {
      if (!abort.signal.aborted) change((turn) => ({ ...turn, error }));
    }
  }

  return (
    <>
      <section className="hero">
        <h1>Ask for it in your own words</h1>
        <SearchField
          label="Your question"
          value={draft}
          onChange={setDraft}
          placeholder="comfortable shoes for long walks, under 100"
          onSubmit={() => ask(draft)}
          submitLabel="Ask"
        />
        {turns.length === 0 && <Chips texts={starters} onChoose={ask} />}
      </section>
      <ol className="conversation" reversed>
        {[...turns].reverse().map((turn) => (
          <li key={turn.id}>
            <TurnView turn={turn} onAsk={ask} />
          </li>
        ))}
      </ol>
    </>
  );
}

function TurnView({ turn, onAsk }: { turn: Turn; onAsk: (query: string) => void }) {
  const { query, text, products, result, error } = turn;
  return (
    <article className="turn">
      <h2 className="question">{query}</h2>
      {error !== undefined && <ErrorNotice error={error} onRetry={() => onAsk(query)} />}
      {error === undefined && (
        <div className="turn-body">
          <div className="answer">
            {result && <p className="muted small-text">{result.description}</p>}
            <p className="answer-text" aria-live="polite" aria-busy={!result}>
              {text || "Looking…"}
            </p>
            {result && result.suggestions.length > 0 && (
              <>
                <h3>Ask next</h3>
                <Chips texts={result.suggestions} onChoose={onAsk} />
              </>
            )}
            {result && <Options result={result} onAsk={onAsk} />}
          </div>
          <aside aria-label="Products of this answer">
            {result && (
              <p className="muted small-text">
                {formatCount(result.productCount)}{" "}
                {result.productCount === 1 ? "product matches" : "products match"}
              </p>
            )}
            <ol className="top-products">
              {products.map((product, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rank is what tells them apart.
                <li key={index}>
                  <strong>{product.name}</strong>
                  <span className="muted small-text">
                    {[product.brand, product.storeName].filter(Boolean).join(" · ")}
                  </span>
                  <span className="price-line">
                    {formatPrice(product.price)}
                    {product.averageRating !== undefined && <Rating value={product.averageRating} />}
                  </span>
                </li>
              ))}
            </ol>
          </aside>
        </div>
      )}
      <DeveloperPanel
        request={{
          method: "POST",
          path: "/deep-search",
          body: { query },
          accept: "text/event-stream",
          needsToken: true,
          call: `for await (const event of client.deepSearchStream(${JSON.stringify({ query })})) console.log(event);`,
        }}
      />
    </article>
  );
}

function Options({ result, onAsk }: { result: DeepSearchResult; onAsk: (query: string) => void }) {
  const { relatedSearches, categories, filters } = result.otherOptions;
  const texts = [...new Set([...relatedSearches, ...categories])];
  if (texts.length === 0 && filters.length === 0) return null;
  return (
    <details>
      <summary>More ways to look</summary>
      <Chips texts={texts} onChoose={onAsk} />
      {filters.length > 0 && <p className="muted small-text">Filters: {filters.join(", ")}</p>}
    </details>
  );
}

function Chips({ texts, onChoose }: { texts: readonly string[]; onChoose: (text: string) => void }) {
  return (
    <ul className="chips">
      {texts.map((text) => (
        <li key={text}>
          <button type="button" className="chip" onClick={() => onChoose(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
