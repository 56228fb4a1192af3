import type { TrialQuery } from "@product-search/client";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { ProductCard } from "../parts/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product-grid.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { useQueryState } from "../service/use-query-state.ts";
import { useRequest } from "../service/use-request.ts";

const typingPauseMs = 180;
const examples = ["running shoes", "leather bag", "desk lamp", "stoneware mug", "dining chair"];

const sorts = {
  relevance: "Best match",
  "price:relevance": "Price",
  rating: "Rating",
  discount: "Discount",
} as const;
type Sort = keyof typeof sorts;

function readPrice(text: string): number | undefined {
  const value = Number(text.replace(",", "."));
  return text.trim() !== "" && value >= 0 ? value : undefined;
}

const noUpperBound = 1_000_000;

/** Text search of the catalog, with results as one types. */
export function SearchScreen() {
  const { client } = useService();
  const [text, setText] = useQueryState("q");
  const [least, setLeast] = useQueryState("min");
  const [most, setMost] = useQueryState("max");
  const [sortText, setSort] = useQueryState("sort");
  const [order, setOrder] = useQueryState("order");

  const sort: Sort = sortText in sorts ? (sortText as Sort) : "relevance";
  const [min, max] = [readPrice(least), readPrice(most)];
  const query: TrialQuery = {
    q: text,
    ...((min !== undefined || max !== undefined) && { priceRange: [min ?? 0, max ?? noUpperBound] as const }),
    ...(sort !== "relevance" && { sort }),
    ...((order === "asc" || order === "desc") && { order }),
  };
  const isAsked = text.trim() !== "";
  const search = useRequest(
    isAsked ? JSON.stringify(query) : undefined,
    (signal) => client.searchTrial(query, { signal }),
    typingPauseMs,
  );

  return (
    <>
      <section className="hero">
        <h1>What are you looking for?</h1>
        <SearchField label="Search the catalog" value={text} onChange={setText} placeholder="running shoes" />
        <div className="filters">
          <label>
            From
            <input
              inputMode="decimal"
              value={least}
              onChange={(event) => setLeast(event.target.value)}
              size={6}
            />
          </label>
          <label>
            to
            <input
              inputMode="decimal"
              value={most}
              onChange={(event) => setMost(event.target.value)}
              size={6}
            />
          </label>
          <label>
            Sort by
            <select
              value={sort}
              onChange={(event) => setSort(event.target.value === "relevance" ? "" : event.target.value)}
            >
              {Object.entries(sorts).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Order
            <select value={order} onChange={(event) => setOrder(event.target.value)}>
              <option value="">usual</option>
              <option value="asc">lowest first</option>
              <option value="desc">highest first</option>
            </select>
          </label>
        </div>
      </section>
      <section aria-labelledby="results" className="results">
        <h2 id="results" className="visually-hidden">
          Results
        </h2>
        {search.phase === "idle" && <Examples onChoose={setText} />}
        {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
        {search.phase === "loading" && !search.answer && <ProductGridSkeleton />}
        {search.answer?.Products.length === 0 && (
          <EmptyNotice title={`Nothing found for “${text}”`}>
            <p>
              Try fewer or other words
              {min !== undefined || max !== undefined ? ", or a wider price range" : ""}.
            </p>
          </EmptyNotice>
        )}
        {search.answer && search.answer.Products.length > 0 && (
          <ProductGrid busy={search.phase === "loading"}>
            {search.answer.Products.map((product) => (
              <ProductCard key={product._id} product={product} />
            ))}
          </ProductGrid>
        )}
        <p className="visually-hidden" aria-live="polite">
          {search.phase === "done" ? `${search.answer.Products.length} products shown` : ""}
        </p>
      </section>
      {isAsked && <DeveloperPanel request={describe(query)} />}
    </>
  );
}

function Examples({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <div className="examples">
      <p className="muted">For example</p>
      <ul className="chips">
        {examples.map((example) => (
          <li key={example}>
            <button type="button" className="chip" onClick={() => onChoose(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function describe(query: TrialQuery): RequestSnippet {
  const { priceRange, ...rest } = query;
  return {
    method: "GET",
    path: "/search/trial",
    query: { ...rest, priceRange: priceRange && `[${priceRange.join(",")}]` },
    needsToken: false,
    call: `searchTrial(${JSON.stringify(query)})`,
  };
}
