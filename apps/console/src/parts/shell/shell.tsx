import type { WebhookWithKey } from "@product-search/client";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { keep, readKept } from "../../service/kept.ts";
import { catalogFieldId } from "../../service/search/use-catalog.ts";
import { useService } from "../../service/service-context.tsx";
import { useSigningKeys } from "../../service/webhooks/signing-keys.tsx";
import { CopyButton } from "../copy-button.tsx";
import { Icon, type IconName, OperatorLink } from "../elements.tsx";
import { TokenBox } from "./token-box.tsx";

const themes = ["auto", "light", "dark"] as const;

type Place = readonly [path: string, name: string, icon: IconName];

const places: readonly Place[] = [
  ["/", "Search", "search"],
  ["/ask", "Ask", "ask"],
  ["/picture", "Image", "camera"],
  ["/marketplaces", "Marketplaces", "market"],
];

/** What fewer people need, and not on a phone: in a menu there. */
const teamPlaces: typeof places = [
  ["/insights", "Insights", "insights"],
  ["/merchandising", "Merchandising", "rules"],
];
const webhooksPlace: Place = ["/webhooks", "Webhooks", "webhook"];

/** What is around every screen: the way to all others, the token, the light. */
export function Shell({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const { fresh, confirmSaved } = useSigningKeys();
  const { isEngineer, person } = useService();
  const morePlaces = [
    ...(!person || person.scopes.includes("merchandising") ? teamPlaces : []),
    ...(isEngineer && (!person || person.scopes.includes("webhooks")) ? [webhooksPlace] : []),
  ];
  useSearchShortcut();
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <header className="top-bar">
        <Link href="/" className="brand-mark line">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>Product search</span>
        </Link>
        <nav aria-label="Main">
          <ul className="tabs">
            {places.map((place) => (
              <PlaceItem key={place[0]} place={place} />
            ))}
            {morePlaces.map((place) => (
              <PlaceItem key={place[0]} place={place} className="wide-only" />
            ))}
            <li className="narrow-only">
              <button
                type="button"
                className={
                  morePlaces.some(([path]) => path === location) ? "more-button current" : "more-button"
                }
                popoverTarget={moreMenuId}
              >
                <Icon name="more" />
                <span>More</span>
              </button>
            </li>
          </ul>
          <ul id={moreMenuId} className="popover more-menu" popover="auto">
            {morePlaces.map((place) => (
              <PlaceItem key={place[0]} place={place} />
            ))}
          </ul>
        </nav>
        <div className="top-bar-tools line">
          <TokenBox />
          <ThemeToggle />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer className="page-foot">
        {isEngineer && (
          <>
            <a href="/docs">API reference</a>
            <a href="/openapi.yaml">OpenAPI document</a>
            <Link href="/mock">Mock</Link>
            <OperatorLink>For operators</OperatorLink>
          </>
        )}
      </footer>
      <OfflineBar />
      {fresh && <FreshKeyDialog key={fresh.apiKey} webhook={fresh} onSaved={confirmSaved} />}
    </>
  );
}

const moreMenuId = "more-places";

function PlaceItem({ place: [path, name, icon], className }: { place: Place; className?: string }) {
  const [location] = useLocation();
  return (
    <li className={className}>
      <Link
        href={path}
        aria-current={location === path ? "page" : undefined}
        onClick={() => document.getElementById(moreMenuId)?.hidePopover()}
      >
        <Icon name={icon} />
        <span>{name}</span>
      </Link>
    </li>
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

type Theme = (typeof themes)[number];

/** Follows the system until told otherwise. */
function ThemeToggle() {
  const [theme, setTheme] = useState<Theme>(() => themes.find((one) => one === readKept("theme")) ?? "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    keep("theme", theme === "auto" ? undefined : theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button type="button" className="icon-button" onClick={() => setTheme(next)} title={`Theme: ${theme}`}>
      <Icon name={theme} />
      <span className="visually-hidden">
        Theme: {theme}. Switch to {next}.
      </span>
    </button>
  );
}

/** `/`, ⌘K and Ctrl+K go to the search field of the catalog, from every screen. */
function useSearchShortcut(): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      const field = document.getElementById(catalogFieldId);
      if (!(field instanceof HTMLInputElement)) return navigate("/");
      field.focus();
      field.select();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [navigate]);
}

function isShortcut(event: KeyboardEvent): boolean {
  if (event.key.toLowerCase() === "k")
    return (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
  return event.key === "/" && !event.metaKey && !event.ctrlKey && !event.altKey && !isTyping(event.target);
}

/** Elements in which a slash is a letter, or chooses an entry; a checkbox is none. */
const typingFields =
  "input:not([type=checkbox], [type=radio], [type=range], [type=file]), textarea, select, [contenteditable]";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(typingFields);
}

interface FreshKeyDialogProps {
  webhook: WebhookWithKey;
  onSaved: () => void;
}

/** The key is returned once: the dialog stays until it is confirmed as saved. */
function FreshKeyDialog({ webhook, onSaved }: FreshKeyDialogProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isSaved, setSaved] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="key-dialog"
      aria-labelledby={titleId}
      onCancel={(event) => event.preventDefault()}
      // A browser lets the second Escape close a dialog all the same.
      onClose={() => dialog.current?.showModal()}
    >
      <h2 id={titleId}>Save this key</h2>
      <p>
        Use it to verify deliveries to <strong>{webhook.webhookUrl}</strong>. It will not be shown again.
      </p>
      <p className="row">
        <code className="key">{webhook.apiKey}</code>
        <CopyButton text={webhook.apiKey} label="Copy the key" />
      </p>
      <label className="line">
        <input type="checkbox" checked={isSaved} onChange={(event) => setSaved(event.target.checked)} />I have
        saved the key
      </label>
      <button type="button" className="primary" disabled={!isSaved} onClick={onSaved}>
        Done
      </button>
    </dialog>
  );
}
