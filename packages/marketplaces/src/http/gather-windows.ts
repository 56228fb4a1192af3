import { type MergedPages, mergePages } from "./merge-pages.ts";
import { overlapOf, planWindows, type Window } from "./page-plan.ts";
import type { OffsetPagination, PagePagination } from "./profile/profile.ts";
import type { Page } from "./read-page.ts";

export interface Gathered {
  /** The part of the list that begins at the wanted offset. */
  items: MergedPages["items"];
  total: number | undefined;
  /** Whether the list continues after these items. */
  goesOn: boolean;
}

/** Requests one page with the given pagination parameters. */
export type FetchPage = (parameters: Record<string, string>) => Promise<Page>;

/** Fetches all pages of `[offset, offset + limit)` concurrently and joins them. */
export async function gatherWindows(
  fetchPage: FetchPage,
  pagination: PagePagination | OffsetPagination,
  offset: number,
  limit: number,
): Promise<Gathered> {
  const windows = planWindows(pagination, offset, limit);
  let joined = await fetchAll(fetchPage, windows, overlapOf(pagination));
  // The list changed while it was read: read it again, then use the items without gaps.
  if (joined.isTorn) joined = await fetchAll(fetchPage, windows, overlapOf(pagination));
  const start = windows[0]?.start ?? 0;
  return {
    items: joined.items.slice(offset - start, offset - start + limit),
    total: joined.total,
    goesOn: joined.isTorn || joined.items.length > offset - start + limit || joined.endsFull,
  };
}

async function fetchAll(fetchPage: FetchPage, windows: readonly Window[], overlap: number) {
  const settled = await Promise.allSettled(windows.map(({ parameters }) => fetchPage(parameters)));
  const total = settled.flatMap((result) =>
    result.status === "fulfilled" ? (result.value.total ?? []) : [],
  )[0];
  const parts = windows.map(({ start, size }, at) => {
    const result = settled[at];
    if (result?.status === "fulfilled") return { start, size, items: result.value.items.slice(0, size) };
    // Some marketplaces refuse pages after the last one instead of returning empty ones.
    if (total !== undefined && start >= total) return { start, size, items: [] };
    throw result?.reason;
  });
  const last = parts.at(-1);
  return {
    ...mergePages(parts, overlap),
    total,
    endsFull: last !== undefined && last.items.length >= last.size,
  };
}
