import type { ReactNode } from "react";

/** Texts to choose from with one press. */
export function Chips({ texts, onChoose }: { texts: readonly string[]; onChoose: (text: string) => void }) {
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

/** Code as it was written; what is too wide can be scrolled. */
export function CodeText({ text }: { text: string }) {
  return (
    <pre className="code-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <code tabIndex={0}>{text}</code>
    </pre>
  );
}

const paths = {
  search: "m20 20-4.4-4.4M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z",
  ask: "M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-7l-4.5 4v-4H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Zm4 5.5h6",
  camera:
    "M4 8h3.5l1.5-3h6l1.5 3H20a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1Zm11.5 5a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0Z",
  market:
    "M4 9.5 5.5 4h13L20 9.5m-16 0V20h16V9.5m-16 0a2.7 2.7 0 0 0 5.3 0 2.7 2.7 0 0 0 5.4 0 2.7 2.7 0 0 0 5.3 0M10 20v-5h4v5",
  webhook: "M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15L6 17Zm4 3.5h4",
  close: "m6 6 12 12M18 6 6 18",
  rules: "M4 6h9m4 0h3M4 12h3m4 0h9M4 18h11m4 0h1M15 4v4M9 10v4m8 2v4",
  insights: "M4 20h16M6.5 16v-5m5.5 5V5m5.5 11V9",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  handle: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  send: "M12 20V5m0 0-6 6m6-6 6 6",
  down: "m6 9.5 6 6 6-6",
  upload: "M12 15V4m0 0L7.5 8.5M12 4l4.5 4.5M4 15v4a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-4",
  image: "M4 5h16v14H4V5Zm0 11 4.5-4.5 4 4 2.5-2.5 5 5M15.5 10a1 1 0 1 1 0-2 1 1 0 0 1 0 2Z",
  light:
    "M12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M5 19l1.4-1.4M17.6 6.4 19 5m-3 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z",
  dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  auto: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Zm0 0v18m3.5-16v14.5M18.5 6.5v11",
} as const;

export type IconName = keyof typeof paths;

/** A drawing beside words that say the same: nothing for a screen reader. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** Leads to `docs/operate.md`, which is built into the page: what whoever runs the service needs to know. */
export function OperatorLink({ children }: { children: ReactNode }) {
  return (
    <a href="/operate.md" target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

/** Where lines of text will stand. */
export function PanelSkeleton() {
  return (
    <div className="panel skeleton" role="status" aria-label="Loading">
      <div className="bar" />
      <div className="bar short" />
    </div>
  );
}
