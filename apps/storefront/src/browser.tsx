import { StrictMode, startTransition } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { Shop } from "./page.tsx";
import { openShop } from "./shop.ts";
import "./shop.css";

/** The settings are in two lines of the HTML. */
const readMeta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

openShop({
  baseUrl: `${location.origin}/api/v1`,
  token: readMeta("shop-token"),
  currency: readMeta("currency"),
});

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root to render into.");
const state = document.getElementById("server-state")?.textContent;
const page = (
  <StrictMode>
    <Shop serverState={state ? JSON.parse(state) : undefined} />
  </StrictMode>
);
// A state that was written by hand may be none that InstantSearch can show.
const onUncaughtError = (error: unknown) =>
  location.search === "" ? reportError(error) : location.replace(location.pathname);
// In a transition, the page reacts between the parts of this work.
if (state) startTransition(() => void hydrateRoot(root, page, { onUncaughtError }));
else createRoot(root, { onUncaughtError }).render(page);
