import { Link } from "wouter";
import { Icon, type IconName } from "./icon.tsx";

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

/** What the first screen shows before anything was asked: examples, and what else there is. */
export function Welcome({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <div className="results">
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
