import type { FacetValue } from "@product-search/client";
import { Link } from "wouter";
import { formatCount } from "../../service/money.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { Chips } from "../chips.tsx";
import { Icon, type IconName } from "../icon.tsx";
import { ErrorNotice } from "../notice.tsx";

const maxCategories = 12;

const examples = ["running shoes", "leather bag", "desk lamp", "stoneware mug", "dining chair"];

const ways: readonly [path: string, icon: IconName, title: string, text: string][] = [
  ["/ask", "ask", "Ask a question", "Describe what you need and get a written answer."],
  ["/picture", "camera", "Search by image", "Upload or take a photo and select an object in it."],
  [
    "/marketplaces",
    "market",
    "Search marketplaces",
    "Search two marketplaces, with the exact number of matches.",
  ],
  [
    "/webhooks",
    "webhook",
    "Get price and stock alerts",
    "Receive signed webhooks when a price or stock changes.",
  ],
];

interface WelcomeProps {
  onChoose: (text: string) => void;
  /** Absent where categories cannot be searched. */
  onCategory?: (name: string) => void;
}

/** What the first screen shows before anything was asked: examples, and what else there is. */
export function Welcome({ onChoose, onCategory }: WelcomeProps) {
  return (
    <div className="results">
      <div className="examples">
        <p className="muted">For example</p>
        <Chips texts={examples} onChoose={onChoose} />
      </div>
      {onCategory && <Categories onChoose={onCategory} />}
      <h2 className="section-title">More ways to find products</h2>
      <ul className="ways">
        {ways.map(([path, icon, title, text]) => (
          <li key={path}>
            <Link href={path} className="way">
              <Icon name={icon} size={24} />
              <strong>{title}</strong>
              <span className="muted">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The largest categories, in a place of fixed height: nothing moves when they come. */
function Categories({ onChoose }: { onChoose: (name: string) => void }) {
  const { categories, error, retry } = useCategories();
  return (
    <section aria-labelledby="categories">
      <h2 id="categories" className="section-title">
        Categories
      </h2>
      {error !== undefined && <ErrorNotice error={error} onRetry={retry} />}
      <ul className="chips categories">
        {categories.map(({ value, count }) => (
          <li key={value}>
            <button type="button" className="chip" onClick={() => onChoose(value)}>
              {value} <span className="muted">{formatCount(count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The largest categories of the catalog: those of a search for products of any rating. */
function useCategories() {
  const { client, token } = useService();
  const request = useRequest(token, (signal) =>
    client.searchCatalog({ minRating: 0, count: 1, grouped: true, facets: ["categories"] }, { signal }),
  );
  const categories: readonly FacetValue[] =
    request.response?.facets?.categories?.slice(0, maxCategories) ?? [];
  return { categories, error: request.phase === "failed" ? request.error : undefined, retry: request.retry };
}
