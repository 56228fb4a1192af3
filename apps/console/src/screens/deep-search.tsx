import type { Product } from "@product-search/client";
import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { ConversationTurn } from "../parts/deep-search/conversation-turn.tsx";
import { Icon } from "../parts/elements.tsx";
import { ProductImage } from "../parts/product/product-grid.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { inSentence, readShownCategories } from "../service/search/category-tree.ts";
import { useCatalogValues } from "../service/search/use-catalog.ts";
import { useService } from "../service/service-context.tsx";
import { useConversation } from "../service/use-conversation.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useQueryState, useRequest } from "../service/use-request.ts";

/** Deep search as a conversation. The newest turn is the last one: while it is written, nothing is below it that could move. */
export function DeepSearchScreen() {
  const { token } = useService();
  const { turns, ask, askAgain } = useConversation();
  const [draft, setDraft] = useState("");
  const [asked, setAsked] = useQueryState("q");
  usePageTitle(asked === "" ? "Ask" : asked);
  const send = (query: string) => {
    if (query.trim() === "") return;
    setDraft("");
    setAsked(query);
    ask(query);
  };
  // A link with a question asks it, as soon as there is a token.
  const askLinked = useEffectEvent(() => {
    if (turns.length === 0 && asked.trim() !== "") ask(asked);
  });
  useEffect(() => {
    if (token !== "") askLinked();
  }, [token]);
  const isEmpty = turns.length === 0;
  return (
    <div className="chat">
      {isEmpty ? (
        <section className="hero">
          <h1>Ask a question</h1>
          <p className="muted">
            Say what you need, as you would in a shop. The answer names only products of this catalog, and you
            can go on: “and in blue?”
          </p>
          {token ? <QuestionExamples onAsk={send} /> : <TokenNotice what="deep search" />}
        </section>
      ) : (
        <>
          <h1 className="visually-hidden">Ask a question</h1>
          <ol className="conversation">
            {turns.map((turn, index) => (
              <li key={turn.id}>
                <ConversationTurn
                  turn={turn}
                  isNewest={index === turns.length - 1}
                  onAsk={send}
                  onRetry={() => askAgain(turn)}
                />
              </li>
            ))}
          </ol>
        </>
      )}
      <div className="composer">
        <QuestionField
          value={draft}
          onChange={setDraft}
          placeholder={isEmpty ? "What do you need?" : "Ask a follow-up question"}
          onSubmit={() => send(draft)}
        />
      </div>
    </div>
  );
}

/** Questions to begin with, of the catalog that is loaded, each with one of its products. */
function QuestionExamples({ onAsk }: { onAsk: (query: string) => void }) {
  const examples = useQuestionExamples();
  return (
    <section aria-labelledby="examples-title">
      <h2 id="examples-title" className="visually-hidden">
        Examples
      </h2>
      <ul className="question-examples" aria-busy={examples === undefined}>
        {examples?.map(({ text, image }) => (
          <li key={text}>
            <button type="button" onClick={() => onAsk(text)}>
              <ProductImage src={image} />
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const maxExamples = 4;

interface QuestionExample {
  text: string;
  image: string | undefined;
}

/** How a shopper asks for the products of a category. */
const forms: readonly ((category: string, product: Product, hasRatings: boolean) => string)[] = [
  (category, { price }) => `${category} under ${roundUp(price)}`,
  (category, _, hasRatings) => `the ${hasRatings ? "best rated" : "cheapest"} ${category}`,
  (category, { brand }) => (brand === undefined ? `${category} in stock` : `${category} by ${brand}`),
  (category) => `cheap ${category} as a gift`,
];

/** Questions that this catalog can answer, made of its largest categories; undefined while they are read. */
function useQuestionExamples(): readonly QuestionExample[] | undefined {
  const { client, token } = useService();
  const { categories } = useCatalogValues();
  const key = categories.length > 0 ? JSON.stringify([token, categories]) : undefined;
  const request = useRequest(key, async (signal) => {
    const options = { categories, maxCount: maxExamples, grouped: false, signal };
    const shown = await readShownCategories(client, options);
    return Promise.all(
      shown.map(async ({ value }, index): Promise<QuestionExample[]> => {
        const query = { categories: [value], count: 1, facets: ["rating"] } as const;
        const { Products, facets } = await client.searchCatalog(query, { signal });
        const [product] = Products;
        const hasRatings = (facets?.rating ?? []).some(({ count }) => count > 0);
        const text = product && forms[index]?.(inSentence(value), product, hasRatings);
        return text === undefined ? [] : [{ text, image: product?.images[0] }];
      }),
    );
  });
  return request.phase === "failed" ? [] : request.response?.flat();
}

/** A price that somebody would say: 123 becomes 150. */
function roundUp(price: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(price, 1))) / 2;
  return Math.ceil(price / step) * step;
}

interface QuestionFieldProps {
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  onSubmit: () => void;
}

/** The field of a conversation: it grows with the text, Enter sends it, and Shift+Enter begins a line. */
function QuestionField({ value, placeholder, onChange, onSubmit }: QuestionFieldProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height.
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight + current.offsetHeight - current.clientHeight}px`;
  }, [value]);
  return (
    <form
      className="question-field"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        Your question
      </label>
      <Icon name="ask" />
      <textarea
        ref={field}
        id={id}
        rows={1}
        value={value}
        maxLength={512}
        placeholder={placeholder}
        autoComplete="off"
        enterKeyHint="send"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onSubmit();
        }}
      />
      <button type="submit" className="primary" disabled={value.trim() === ""}>
        <Icon name="send" />
        <span>Ask</span>
      </button>
    </form>
  );
}
