import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { useSearchShortcut } from "../../service/catalog/use-search-shortcut.ts";
import { useSigningKeys } from "../../service/webhooks/signing-keys.tsx";
import { Icon, type IconName } from "../icon.tsx";
import { FreshKeyDialog } from "../webhooks/fresh-key-dialog.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";
import { TokenBox } from "./token-box.tsx";

const places: readonly [path: string, name: string, icon: IconName][] = [
  ["/", "Search", "search"],
  ["/ask", "Ask", "ask"],
  ["/picture", "Image", "camera"],
  ["/marketplaces", "Marketplaces", "market"],
  ["/webhooks", "Webhooks", "webhook"],
];

/** What is around every screen: the way to all others, the token, the light. */
export function Shell({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const { fresh, confirmSaved } = useSigningKeys();
  useSearchShortcut();
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <header className="top-bar">
        <Link href="/" className="brand-mark">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>Product search</span>
        </Link>
        <nav aria-label="Main">
          <ul className="tabs">
            {places.map(([path, name, icon]) => (
              <li key={path}>
                <Link href={path} aria-current={location === path ? "page" : undefined}>
                  <Icon name={icon} />
                  <span>{name}</span>
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="top-bar-tools">
          <TokenBox />
          <ThemeToggle />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer className="page-foot">
        <a href="/docs">API reference</a>
        <a href="/openapi.yaml">OpenAPI document</a>
        <Link href="/mock">Mock</Link>
      </footer>
      <OfflineBar />
      {fresh && <FreshKeyDialog key={fresh.apiKey} webhook={fresh} onSaved={confirmSaved} />}
    </>
  );
}

function OfflineBar() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  if (online) return null;
  return (
    <p className="offline-bar" role="status">
      You are offline. New searches will work when the connection is back.
    </p>
  );
}
