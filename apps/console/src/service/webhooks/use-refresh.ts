import { useEffect } from "react";

/** Calls again and again while the page is in sight. */
export function useRefresh(refresh: () => void, intervalMs: number | undefined): void {
  useEffect(() => {
    if (intervalMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [refresh, intervalMs]);
}
