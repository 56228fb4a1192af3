import { useEffect } from "react";
import { useLocation } from "wouter";
import { catalogFieldId } from "./catalog-field-id.ts";

/** `/`, ⌘K and Ctrl+K go to the search field of the catalog, from every screen. */
export function useSearchShortcut(): void {
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

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
