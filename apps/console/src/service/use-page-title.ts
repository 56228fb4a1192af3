import { useEffect } from "react";

/** What the browser's tab, its history and a screen reader call this screen. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Product search" : `${title} · Product search`;
  }, [title]);
}

/** The browser asks before it closes or reloads the page. */
export function useLeaveWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isOn]);
}
