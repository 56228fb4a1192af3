import type { OffsetPagination, PagePagination } from "./profile/profile.ts";

/** The part of the result list that one request reads, and the parameters for it. */
export interface Window {
  start: number;
  size: number;
  parameters: Record<string, string>;
}

const defaultMaxResults = 10_000;
/**
 * Adjacent windows share this many products. If the list shifts between two requests, the shared products show it, so
 * that a response never skips a product unnoticed. Up to `maxLimit` that costs no further request, beyond at most one.
 */
const maxOverlap = 5;

/** How many products of the list can be reached. */
export function reachOf({ maxResults = defaultMaxResults }: { maxResults?: number }): number {
  return maxResults;
}

export function overlapOf({ maxLimit }: { maxLimit: number }): number {
  return Math.min(maxOverlap, Math.floor(maxLimit / 10));
}

/** The fewest requests that cover `[offset, offset + limit)`. All are known in advance, so they can run concurrently. */
export function planWindows(
  pagination: PagePagination | OffsetPagination,
  offset: number,
  limit: number,
): Window[] {
  const end = Math.min(offset + limit, reachOf(pagination));
  const windows = [windowAt(pagination, offset, end)];
  for (;;) {
    const reached = endOf(windows.at(-1));
    if (reached >= end) return windows;
    const overlapping = windowAt(pagination, reached - overlapOf(pagination), end);
    // Far down the list, small pages may not be able to overlap the last window and also go beyond it.
    windows.push(endOf(overlapping) > reached ? overlapping : windowAt(pagination, reached, end));
  }
}

function endOf(window: Window | undefined): number {
  return window ? window.start + window.size : 0;
}

function windowAt(pagination: PagePagination | OffsetPagination, from: number, end: number): Window {
  const { maxLimit, limitParameter } = pagination;
  if (pagination.style === "offset" && !pagination.aligned) {
    const size = Math.min(Math.max(end - from, 1), maxLimit);
    return {
      start: from,
      size,
      parameters: { [pagination.offsetParameter]: String(from), [limitParameter]: String(size) },
    };
  }
  const size = bestPageSize(from, end, maxLimit);
  const page = Math.floor(from / size);
  const position =
    pagination.style === "page"
      ? { [pagination.pageParameter]: String(page + (pagination.firstPage ?? 1)) }
      : { [pagination.offsetParameter]: String(page * size) };
  return { start: page * size, size, parameters: { ...position, [limitParameter]: String(size) } };
}

/**
 * Pages start at multiples of their size. Chooses the smallest size whose page covers `from` to `end`, else the one that
 * reaches furthest: 250 from the start are read as 100 of 100, 95 of 95 and 92 of 92.
 */
function bestPageSize(from: number, end: number, maxLimit: number): number {
  let best = maxLimit;
  let reach = 0;
  for (let size = 1; size <= maxLimit; size++) {
    const pageEnd = (Math.floor(from / size) + 1) * size;
    if (pageEnd >= end) return size;
    if (pageEnd > reach) {
      best = size;
      reach = pageEnd;
    }
  }
  return best;
}
