import { Link } from "wouter";
import type { CategorySamples } from "../../service/search/use-catalog.ts";
import { useService } from "../../service/service-context.tsx";
import { Chips, Icon, type IconName } from "../elements.tsx";
import { CategoryTiles } from "./category-tiles.tsx";

type Way = readonly [path: string, icon: IconName, title: string, text: string];

const ways: readonly Way[] = [
  ["/ask", "ask", "Ask a question", "Describe what you need and get a written answer."],
  ["/picture", "camera", "Search by image", "Upload or take a photo and select an object in it."],
  [
    "/marketplaces",
    "market",
    "Search marketplaces",
    "Search two marketplaces, with the exact number of matches.",
  ],
];

const alerts: Way = [
  "/webhooks",
  "webhook",
  "Get price and stock alerts",
  "Receive signed webhooks when a price or stock changes.",
];

interface WelcomeProps {
  categories: CategorySamples;
  examples: readonly string[];
  onChoose: (text: string) => void;
  onCategory: (name: string) => void;
}

/** What the first screen shows before anything was asked: examples of this catalog, and what else there is. */
export function Welcome({ categories, examples, onChoose, onCategory }: WelcomeProps) {
  return (
    <div className="results">
      <Examples texts={examples} onChoose={onChoose} />
      <CategoryTiles
        categories={categories}
        title="Categories"
        onChoose={({ category }) => onCategory(category)}
      />
      <Ways />
    </div>
  );
}

/** Searches to begin with. Their room is there before they come. */
export function Examples({
  texts,
  onChoose,
}: {
  texts: readonly string[];
  onChoose: (text: string) => void;
}) {
  return (
    <section aria-label="Examples" className="examples">
      <p className="muted">For example</p>
      <Chips texts={texts} onChoose={onChoose} />
    </section>
  );
}

/** The other screens that find products. */
export function Ways() {
  const { isEngineer } = useService();
  return (
    <>
      <h2 className="section-title">More ways to find products</h2>
      <ul className="ways">
        {(isEngineer ? [...ways, alerts] : ways).map(([path, icon, title, text]) => (
          <li key={path}>
            <Link href={path} className="way panel">
              <Icon name={icon} size={24} />
              <strong>{title}</strong>
              <span className="muted">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
