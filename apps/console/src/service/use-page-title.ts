import { useEffect } from "react";

/** What the browser's tab, its history and a screen reader call this screen. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Product search" : `${title} · Product search`;
  }, [title]);
}
